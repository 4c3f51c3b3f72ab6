"""web/api/openapi.json as tests use it: what an answer must be, and which of the document's fields have been seen in one."""
import json
import re

import jsonschema

from cluster import ROOT

DOCUMENT = json.loads((ROOT / "web/api/openapi.json").read_text())


def referred(part):
    """What a $ref stands for, and its name."""
    of, name = part["$ref"].removeprefix("#/components/").split("/")
    return DOCUMENT["components"][of][name], name


def strict(schema):
    """OpenAPI 3.0's `nullable` as JSON Schema has it, references looked up. Only what is named may be there, but for
    the alternatives of an `anyOf`, which have no type of their own: the object around them names all."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return strict(referred(schema)[0])
    made = {key: strict(value) for key, value in schema.items() if key not in ("nullable", "description", "format")}
    if "type" in schema and "properties" in schema and schema.get("additionalProperties") is not False:
        raise AssertionError(f"an object that may have more fields than are named: {list(schema['properties'])}")
    return {"anyOf": [{"type": "null"}, made]} if schema.get("nullable") else made


def operation_of(method, path):
    """The document's operation that a call is for, with its path there; nothing: the call is for none."""
    path = path.split("?")[0]
    found = [pattern for pattern in DOCUMENT["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path)]
    found.sort(key=lambda pattern: pattern.count("{"))
    pattern = next((one for one in found if method.lower() in DOCUMENT["paths"][one]), None)
    return (pattern, DOCUMENT["paths"][pattern][method.lower()]) if pattern else None


def answer_schema(method, path, answer):
    """The schema of a call's answer; fails where the document knows no such answer. None: the body is no JSON, or no operation's."""
    found = operation_of("GET" if method == "HEAD" else method, path)
    if not found:
        return None
    documented = found[1]["responses"].get(str(answer.status_code))
    if answer.status_code == 304:
        return None
    assert documented, f"{method} {found[0]} answers {answer.status_code}, of which the document does not know: {answer.text[:300]}"
    content = (referred(documented)[0] if "$ref" in documented else documented).get("content", {})
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    if not answer.content and method == "HEAD":
        return None
    assert kind in content, f"{method} {found[0]}: the document knows {list(content)}, and this is {kind}"
    return content[kind]["schema"] if kind == "application/json" else None


def check(method, path, answer):
    """The answer is what the document says."""
    if schema := answer_schema(method, path, answer):
        jsonschema.validate(answer.json(), strict(schema))


def fields_of(schema, path):
    """Every field that a schema names, by the component that it is in: ("Queue.maps", its schema)."""
    if "$ref" in schema:
        schema, path = referred(schema)
    for part in schema.get("allOf", []):
        yield from fields_of(part, path)
    if schema.get("type") == "array":
        yield from fields_of(schema["items"], path)
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}", inner
        yield from fields_of(inner, f"{path}.{name}")


class Seen:
    """Which fields of the document have been in an answer, with a value and as null."""

    def __init__(self):
        self.values, self.nulls = set(), set()

    def note(self, schema, value, path=""):
        if "$ref" in schema:
            schema, path = referred(schema)
        for part in schema.get("allOf", []):
            self.note(part, value, path)
        if isinstance(value, list):
            for one in value:
                self.note(schema.get("items", {}), one, path)
        elif isinstance(value, dict):
            for name, inner in schema.get("properties", {}).items():
                if name in value:
                    (self.nulls if value[name] is None else self.values).add(f"{path}.{name}")
                    self.note(inner, value[name], f"{path}.{name}")

    def missing(self):
        """Of the answers of all operations: fields that never had a value, and those that never were the null they may be."""
        unseen, never_null = set(), set()
        for operations in DOCUMENT["paths"].values():
            for operation in operations.values():
                for answer in operation["responses"].values():
                    content = (referred(answer)[0] if "$ref" in answer else answer).get("content", {})
                    for field, schema in fields_of(content.get("application/json", {}).get("schema", {}), ""):
                        if field not in self.values:
                            unseen.add(field)
                        if schema.get("nullable") and field not in self.nulls:
                            never_null.add(field)
        return unseen, never_null
