"""JSON Schema 2020-12 of a record's written form, made from the same rules that read it.

A schema describes the normalised artifact. It cannot say everything: lengths are counted in UTF-16
code units here and in code points there, and rules over several fields stand in the description.
"""

import inspect

from schemas import rules
from schemas.canonical import LARGEST_INTEGER
from schemas.ledger import Matching
from schemas.record import REQUIRED, FieldSpec, Items, Nested, Record, Rule

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DIGEST_PATTERN = "^(sha256|blake3):[0-9a-f]{64}$"
PROVIDER_PATTERN = "^[a-z][a-z0-9_.:-]{1,95}$"

Schema = dict[str, object]


def schema_of(record: type[Record], name: str) -> Schema:
    """The self-contained schema of `record` under the urn of `name`; nested records are $defs."""
    definitions: dict[str, Schema] = {}
    body = _record(record, definitions)
    document: Schema = {
        "$schema": DIALECT,
        "$id": f"urn:external-evidence:schema:v0:{name}",
        "title": record.__name__,
        **body,
    }
    if definitions:
        document["$defs"] = dict(sorted(definitions.items()))
    return document


def _record(record: type[Record], definitions: dict[str, Schema]) -> Schema:
    return {
        "description": inspect.cleandoc(record.__doc__ or ""),
        "type": "object",
        "properties": {spec.name: _field(spec, definitions) for spec in record.FIELDS},
        "required": [spec.name for spec in record.FIELDS if not spec.omitted],
        "additionalProperties": False,
    }


def _field(spec: FieldSpec, definitions: dict[str, Schema]) -> Schema:
    schema = _rule(spec.rule, definitions)
    if spec.null_is_absent:
        schema = {"anyOf": [schema, {"type": "null"}]}
    if isinstance(spec.default, str | bool) and spec.default is not REQUIRED:
        schema = {**schema, "default": spec.default}
    return schema


def _rule(rule: Rule, definitions: dict[str, Schema]) -> Schema:
    if isinstance(rule, Nested):
        name = rule.record.__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _record(rule.record, definitions)
        return {"$ref": f"#/$defs/{name}"}
    if isinstance(rule, Items):
        items: Schema = {"type": "array", "items": _rule(rule.rule, definitions)}
        items["minItems"], items["maxItems"] = rule.least, rule.most
        if rule.unique and rule.key is None:
            items["uniqueItems"] = True
        return items
    if isinstance(rule, Matching):
        return {"type": "string", "maxLength": rule.most, "pattern": f"^(?:{rule.pattern.pattern})$"}
    return _plain(rule)


def _plain(rule: Rule) -> Schema:
    if isinstance(rule, rules.Literal):
        return {"const": rule.values[0]} if len(rule.values) == 1 else {"enum": list(rule.values)}
    if isinstance(rule, rules.Constant):
        return {"const": rule.value}
    if isinstance(rule, rules.Flag):
        return {"type": "boolean"}
    if isinstance(rule, rules.Integer):
        bounds: Schema = {"type": "integer", "minimum": rule.least}
        return bounds if rule.most == LARGEST_INTEGER else {**bounds, "maximum": rule.most}
    text: Schema = {"type": "string", "minLength": 1}
    if isinstance(rule, rules.Text):
        text["maxLength"] = rule.most
    if isinstance(rule, rules.Digest):
        text["pattern"] = DIGEST_PATTERN
    elif isinstance(rule, rules.ProviderId):
        text["pattern"] = PROVIDER_PATTERN
    elif isinstance(rule, rules.SourceRef):
        text["format"] = "uri"
    elif isinstance(rule, rules.Instant):
        text["format"] = "date-time"
    return text
