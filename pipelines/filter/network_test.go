package filter_test

import _ "privpipe/pipelines/metrics/serve" // as the mains link it
