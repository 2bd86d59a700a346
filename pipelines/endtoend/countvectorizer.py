"""countvectorizer.py VOCABULARY DOCUMENTS.jsonl: scikit-learn's CountVectorizer on the texts, in CPU seconds."""

import json
import sys
import time

from sklearn.feature_extraction.text import CountVectorizer

words = sorted({line.strip().lower() for line in open(sys.argv[1], encoding="utf-8")})
texts = [json.loads(line)["text"] for line in open(sys.argv[2], "rb")]
vectorizer = CountVectorizer(vocabulary=words)
began = time.process_time()
vectorizer.transform(texts)
print(json.dumps({"cpu": time.process_time() - began}))
