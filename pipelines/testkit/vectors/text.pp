id,text
a,hello
