#!/usr/bin/env python3
"""Makes docs/http-api.md of openapi.json, so that the two never differ: without arguments it writes the file, with --check
it says whether that would change it (exit code 1)."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOC = HERE.parents[1] / "docs" / "http-api.md"
ORDER = ("get", "post", "put", "patch", "delete")

HEAD = """# The HTTP API

Made of [web/api/openapi.json](../web/api/openapi.json) by `web/api/make_doc.py`; a running JobTracker serves that document at
`/api/v1/openapi.json`. It listens where the settings say `listen: {{http: HOST:PORT}}`; `weir local` and the sample settings
switch it on.

{description}

    curl http://127.0.0.1:9080/api/v1/cluster
    curl -X PATCH -H 'X-Weir-User: ann' -H 'Content-Type: application/json' -d '{{"priority": "HIGH"}}' \\
         http://127.0.0.1:9080/api/v1/jobs/7

- **Who asks** stands in `X-Weir-User`, and groups in `X-Weir-Groups`; every call that changes something needs the former. Users are
  self-declared, as everywhere ([security.md](security.md)).
- **Calls that change something** need `Content-Type: application/json` (settings: YAML, too) and no `Origin` but the server's own.
- **Refusals** are `{{"code", "message", "hint", "diagnostics"}}`; the codes are those of the Thrift API and the command line.
- **Lists** come in pages: `limit`, and the page that follows is named by the header `Link` (`rel="next"`). A list may be half a second
  old, but nobody reads what was before a change that he was told is done; with `min_version` it is made anew.
- **ETag** and `If-None-Match`: what has not changed is 304. `Accept-Encoding: gzip` is honoured from 1 KiB on; the tag of what is
  gzipped ends in `-gzip`, and means the same in `If-Match` as the other.
- **Host** must be the address that was asked, a loopback address, `localhost`, the machine's own name, or what
  `listen: {{http_names: [...]}}` has (names or addresses, such as that of a proxy or of a machine that passes a port on): otherwise 421.
  None, two or an empty one are 400; HTTP/1.0 may have none.
- **Methods** that a path does not have are 405 with `Allow`, whatever they are called; OPTIONS says which it has.
- **Too much at a time** is refused at once, with `Retry-After`: 429 where it is the caller's address or user that has too much, or the
  JobTracker is behind; 503 where the web port has no room for anybody, nor has the line of submissions whose input is to be looked at.
  A submission that was not looked at within 30 s is refused in the same way, and says why. Who closes a connection wants no answer any
  more: a read that waits is dropped, a change may have been made.
- **Outside of `/api/v1`**: `/healthz` (it runs), `/readyz` (the store takes writes, the recovery is over), `/metrics` (Prometheus),
  which are answered whatever else is being computed, and the pages: `/` and `/assets/`.
"""


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "allOf" in schema:
        return type_of(schema["allOf"][0])
    if "enum" in schema:
        return " ".join(f"`{value if isinstance(value, str) else json.dumps(value)}`" for value in schema["enum"] if value is not None)
    if schema.get("type") == "array":
        return "list of " + type_of(schema["items"])
    if schema.get("type") == "object" and schema.get("properties"):
        return "{" + ", ".join(schema["properties"]) + "}"
    return {"integer": "number", "number": "number", "boolean": "true/false", "string": "text"}.get(schema.get("type"), "object")


def body_of(content):
    return ", ".join(f"{kind}: {type_of(of['schema'])}" for kind, of in content.items())


def operation_lines(path, method, operation):
    lines = [f"### {method.upper()} {path}", "", operation["summary"] + ".", ""]
    if "description" in operation:
        lines += [operation["description"], ""]
    for parameter in operation.get("parameters", []):
        needed = " (needed)" if parameter.get("required") and parameter["in"] != "path" else ""
        lines.append(f"- {parameter['in']} `{parameter['name']}`{needed}: {parameter['description']}")
    if "requestBody" in operation:
        lines.append(f"- body {body_of(operation['requestBody']['content'])}")
    refusals = []
    for status, answer in operation["responses"].items():
        if status >= "400":
            refusals.append(status)
        else:
            lines.append(f"- {status} {body_of(answer.get('content', {}))}")
    lines += [f"- refused with {', '.join(sorted(refusals))}", ""]
    return lines


def schema_lines(name, schema):
    lines = [f"### {name}", "", "| field | | |", "|---|---|---|"]
    for field, of in schema.get("properties", {}).items():
        absent = "" if field in schema.get("required", []) else "may be absent"
        null = "or null" if of.get("nullable") else ""
        notes = ", ".join(part for part in (of.get("description", ""), absent) if part)
        lines.append(f"| `{field}` | {' '.join(part for part in (type_of(of), null) if part)} | {notes} |".replace("  ", " "))
    return [*lines, ""]


def text():
    document = json.loads((HERE / "openapi.json").read_text())
    lines = [HEAD.format(description=document["info"]["description"]), "## Paths", ""]
    for path, operations in document["paths"].items():
        for method in ORDER:
            if method in operations:
                lines += operation_lines(path, method, operations[method])
    lines += ["## Statuses of refusals", "", "| | |", "|---|---|"]
    for status, answer in document["components"]["responses"].items():
        lines.append(f"| {status} | {answer['description']} |")
    lines += ["", "## Bodies", ""]
    for name, schema in document["components"]["schemas"].items():
        lines += schema_lines(name, schema)
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    made = text()
    if sys.argv[1:] == ["--check"]:
        if not DOC.exists() or DOC.read_text() != made:
            sys.exit("docs/http-api.md is not what openapi.json says; run web/api/make_doc.py")
    elif sys.argv[1:]:
        sys.exit("usage: make_doc.py [--check]")
    else:
        DOC.write_text(made)
