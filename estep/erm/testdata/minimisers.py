# Minimisers, for TestMinimiser: the minimiser of (1/n) sum log(1+exp(-y x.w)) + lambda/2 |w|^2 + t.w for a small set, by scipy.
import numpy as np
from scipy.optimize import minimize
X=np.array([[.6,0,-.3,.2],[-.5,.5,.5,0],[.1,.9,0,-.4],[0,0,.7,.7],[-.8,.1,.2,.3],[.3,-.6,0,.6],[0,0,0,0],[.2,.2,-.2,.9]])
y=np.array([1,-1,1,1,-1,-1,1,-1.])
def ref(lam,t):
    t=np.array(t); n=len(y)
    f=lambda w: np.mean(np.logaddexp(0,-y*(X@w)))+lam/2*w@w+t@w
    def g(w):
        p=1/(1+np.exp(y*(X@w))); return -(X.T@(y*p))/n+lam*w+t
    def h(w):
        p=1/(1+np.exp(y*(X@w))); return (X.T*(p*(1-p)))@X/n+lam*np.eye(4)
    w=np.zeros(4)
    r=minimize(f,w,jac=g,hess=h,method='trust-exact',options=dict(gtol=1e-13,maxiter=500)); 
    return r.x, np.linalg.norm(g(r.x))
for lam,t in ((1e-3,[0,0,0,0]),(0.05,[.3,-.2,.1,.4]),(1e-6,[.001,.02,0,-.01]),(10,[5,-5,0,1])):
    x,gn=ref(lam,t); print(lam,t,[repr(float(v)) for v in x],gn)
