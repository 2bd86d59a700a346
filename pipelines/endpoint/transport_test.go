package endpoint

import _ "privpipe/pipelines/endpoint/kafka" // topics of these tests are Kafka's
