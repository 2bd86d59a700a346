"""Makes values.json and posts.avro by serializers in wide use: python3 -m pip install
'confluent-kafka[avro,protobuf,schemaregistry]==2.16.1' fastavro==1.13.1 grpcio-tools==1.85.1; python3 make.py URL.
The registry at the URL must be empty: it was Apicurio 3.0.9, http://127.0.0.1:8080/apis/ccompat/v7."""
import base64
import datetime
import decimal
import json
import pathlib
import sys
import tempfile
import uuid

import fastavro
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from grpc_tools import protoc

AUTHOR = {"type": "record", "name": "Author", "namespace": "org.example", "fields": [
    {"name": "id", "type": {"type": "string", "logicalType": "uuid"}}, {"name": "team", "type": ["null", "string"], "default": None}]}
POST = {"type": "record", "name": "Post", "namespace": "org.example", "fields": [
    {"name": "id", "type": "long"},
    {"name": "text", "type": ["null", "string"]},
    {"name": "author", "type": "org.example.Author"},
    {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["NOTE", "REPLY"]}},
    {"name": "made", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "day", "type": {"type": "int", "logicalType": "date"}},
    {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
    {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    {"name": "raw", "type": "bytes"},
    {"name": "four", "type": {"type": "fixed", "name": "Four", "size": 4}},
    {"name": "tags", "type": {"type": "array", "items": "string"}},
    {"name": "marks", "type": {"type": "map", "values": "int"}},
    {"name": "vector", "type": {"type": "array", "items": "float"}},
    {"name": "odd", "type": "double"},
    {"name": "answer", "type": ["null", "Post"], "default": None}]}


def post(text, answer=None):
    utc = datetime.timezone.utc
    return {
        "id": 7, "text": text, "author": {"id": str(uuid.UUID(int=1)), "team": "red"}, "kind": "REPLY",
        "made": datetime.datetime(2026, 3, 2, 8, 30, 0, 250000, utc), "day": datetime.date(2026, 3, 2),
        "local": datetime.datetime(2026, 3, 2, 8, 30, 0, 5), "clock": datetime.time(8, 30, 1),
        "price": decimal.Decimal("-12.50"), "raw": b"\x00\xff", "four": b"abcd", "tags": ["Can't", "e_mail"],
        "marks": {"b": 2, "a": 1}, "vector": [3.0, -4.0], "odd": float("nan"), "answer": answer}


AUTHOR_PROTO = """syntax = "proto3";
package example;
message Author { string name = 1; optional string team = 2; }
"""
POST_PROTO = """syntax = "proto3";
package example;
import "author.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Unused { message Within { string text = 1; } }
message Post {
  enum Kind { NOTE = 0; REPLY = 1; }
  message Key { int64 number = 1; }
  string text = 1;
  int64 id = 2;
  Author author = 3;
  Kind kind = 4;
  google.protobuf.Timestamp made = 5;
  google.protobuf.StringValue title = 6;
  bytes raw = 7;
  repeated string tags = 8;
  map<string, int32> marks = 9;
  repeated float vector = 10;
  uint64 large = 11;
  bool good = 12;
  double odd = 13;
  Post answer = 14;
  string empty = 15;
  oneof choice { string left = 16; string right = 17; }
}
"""

client = SchemaRegistryClient({"url": sys.argv[1]})
made = {"schemas": {}, "subjects": {}, "values": {}}


def keep(name, value):
    number = int.from_bytes(value[1:5], "big")
    schema = client.get_schema(number)
    made["schemas"][str(number)] = {"schema": schema.schema_str, "schemaType": schema.schema_type, "references": [
        {"name": r.name, "subject": r.subject, "version": r.version} for r in schema.references or []]}
    made["values"][name] = base64.b64encode(value).decode()


def subject(name):
    version = client.get_latest_version(name)
    made["subjects"][f"{name}/{version.version}"] = {"schema": version.schema.schema_str, "schemaType": version.schema.schema_type}


def context(topic, field=MessageField.VALUE):
    return SerializationContext(topic, field)


client.register_schema("author", Schema(json.dumps(AUTHOR), "AVRO"))
subject("author")
avro = AvroSerializer(client, Schema(json.dumps(POST), "AVRO", [SchemaReference("org.example.Author", "author", 1)]))
keep("avro post", avro(post("Apple pie", post("Fig", None)), context("posts")))
keep("avro null text", avro(post(None), context("posts")))
keep("avro key", AvroSerializer(client, '"string"')("ann", context("posts", MessageField.KEY)))
keep("avro key record", AvroSerializer(client, json.dumps(
    {"type": "record", "name": "K", "fields": [{"name": "user", "type": "int"}]}))({"user": -3}, context("keys", MessageField.KEY)))

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "author.proto").write_text(AUTHOR_PROTO)
    (pathlib.Path(folder) / "post.proto").write_text(POST_PROTO)
    include = str(pathlib.Path(protoc.__file__).parent / "_proto")
    assert protoc.main(["", f"-I{folder}", f"-I{include}", f"--python_out={folder}", "author.proto", "post.proto"]) == 0
    sys.path.insert(0, folder)
    import author_pb2
    import post_pb2

    from google.protobuf import timestamp_pb2

    p = post_pb2.Post(text="Apple pie", id=-7, author=author_pb2.Author(name="ann"), kind=1, raw=b"\x00\xff",
                      made=timestamp_pb2.Timestamp(seconds=1772440200, nanos=250000000), tags=["Can't", "e_mail"],
                      marks={"b": 2, "a": 1}, vector=[3, -4], large=2**64 - 1, odd=float("inf"), right="",
                      answer=post_pb2.Post(text="Fig", kind=7))
    p.title.value = "A title"
    serializer = {"use.deprecated.format": False}
    keep("protobuf post", ProtobufSerializer(post_pb2.Post, client, serializer)(p, context("protos")))
    keep("protobuf nested", ProtobufSerializer(post_pb2.Unused.Within, client, serializer)(
        post_pb2.Unused.Within(text="inner"), context("withins")))
    keep("protobuf key", ProtobufSerializer(post_pb2.Post.Key, client, serializer)(
        post_pb2.Post.Key(number=9), context("protos", MessageField.KEY)))
    keep("protobuf first", ProtobufSerializer(author_pb2.Author, client, serializer)(
        author_pb2.Author(name="bob", team=""), context("authors")))
    for name in client.get_subjects():
        if name.endswith(".proto"):
            subject(name)

pathlib.Path("values.json").write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
for file, codec in {"posts.avro": "deflate"}.items():
    with open(file, "wb") as f:
        fastavro.writer(f, fastavro.parse_schema([AUTHOR, POST]), [post("Apple pie", post("Fig")), post("Pear")], codec=codec,
                        sync_marker=b"0123456789abcdef")
