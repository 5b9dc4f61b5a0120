"""Checks messages of an agent by the JSON schema of the protocol. Stricter than the schema in one point: a member
that the schema does not name is an error, so that a misspelled optional member is noticed."""
import json

ANYTHING = object()  # every member of an object is allowed
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_kind(value, kind):
    if kind in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if kind == "integer" else (int, float))
    return isinstance(value, KINDS[kind])


def may_fit(kind, value):
    """Whether the constants of a choice are those of the value: most unions have a discriminator."""
    if "const" in kind:
        return value == kind["const"]
    return not isinstance(value, dict) or all("const" not in each or value.get(name) == each["const"]
                                              for name, each in kind.get("properties", {}).items())


class Schema:
    def __init__(self, path):
        with open(path) as file:
            self.types = json.load(file)["$defs"]
        # (side, method, ending of the type's name): type
        self.methods = {}
        for name, kind in self.types.items():
            for ending in ("Request", "Response", "Notification"):
                if "x-method" in kind and name.endswith(ending):
                    self.methods[kind["x-side"], kind["x-method"], ending] = kind

    def value(self, kind, value, place):
        """The errors of a whole value: those of its schema, and its unknown members."""
        errors, known = self.by(kind, value, place)
        if not errors and isinstance(value, dict) and known is not ANYTHING:
            errors = ["%s: unknown member '%s'" % (place, name) for name in value if name not in known]
        return errors

    def by(self, kind, value, place):
        """The errors, and the members that the schema knows."""
        errors, known = [], set()

        def add(result):
            nonlocal known
            errors.extend(result[0])
            known = ANYTHING if known is ANYTHING or result[1] is ANYTHING else known | result[1]

        if not set(kind) - {"title", "description", "x-deserialize-default-on-error"}:
            return [], ANYTHING
        if "$ref" in kind:
            add(self.by(self.types[kind["$ref"].rpartition("/")[2]], value, place))
        kinds = kind.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_kind(value, each) for each in kinds):
            return ["%s: %.80r is no %s" % (place, value, " or ".join(kinds))], ANYTHING
        if "const" in kind and value != kind["const"]:
            errors.append("%s: %.80r is not %r" % (place, value, kind["const"]))
        if "minimum" in kind and is_kind(value, "number") and not \
                kind["minimum"] <= value <= kind.get("maximum", float("inf")):
            errors.append("%s: %r is out of range" % (place, value))
        if "minLength" in kind and isinstance(value, str) and len(value) < kind["minLength"]:
            errors.append("%s: too short" % place)
        for each in kind.get("allOf", []):
            add(self.by(each, value, place))
        for choice in ("anyOf", "oneOf"):
            if choice in kind:
                add(self.one_of(kind[choice], value, place))
        if "not" in kind and not self.by(kind["not"], value, place)[0]:
            errors.append("%s: %.80r is excluded" % (place, value))
        if isinstance(value, dict):
            add((self.members(kind, value, place), set(kind.get("properties", {}))))
            more = kind.get("additionalProperties")
            if more is not None or kind == {"type": "object"}:
                known = ANYTHING
        if isinstance(value, list) and "items" in kind:
            for number, each in enumerate(value):
                errors += self.value(kind["items"], each, "%s[%d]" % (place, number))
        return errors, known

    def one_of(self, choices, value, place):
        """The choice that fits, else the errors of the one that is nearest to it."""
        tried = [self.by(each, value, place) for each in choices if may_fit(each, value)]
        if not tried:
            return ["%s: %.80r fits no choice" % (place, value)], ANYTHING
        right = [result for result in tried if not result[0]]
        if right:
            # Of several the one that explains most: unions without a discriminator overlap.
            return max(right, key=lambda result: float("inf") if result[1] is ANYTHING else len(result[1]))
        return min((errors for errors, _ in tried), key=len), ANYTHING

    def members(self, kind, value, place):
        errors = ["%s: no member '%s'" % (place, name) for name in kind.get("required", []) if name not in value]
        named = kind.get("properties", {})
        for name, each in value.items():
            inner = named.get(name, kind.get("additionalProperties", True) if name not in named else True)
            if isinstance(inner, dict):
                errors += self.value(inner, each, "%s.%s" % (place, name))
        return errors

    def message(self, line, method):
        """The errors of a line that the agent wrote; `method` is that of the request which it answers."""
        if line.get("jsonrpc") != "2.0":
            return ["jsonrpc is not '2.0'"]
        allowed = {"jsonrpc", "id", "method", "params"} if "method" in line else {"jsonrpc", "id", "result", "error"}
        errors = ["unknown member '%s'" % name for name in set(line) - allowed]
        if "id" in line:
            errors += self.value(self.types["RequestId"], line["id"], "id")
        if "method" in line:
            if line["method"].startswith("_"):
                return errors
            ending = "Request" if "id" in line else "Notification"
            side = "protocol" if line["method"].startswith("$/") else "client"
            return errors + self.known((side, line["method"], ending), line.get("params"), "params")
        if ("error" in line) == ("result" in line) or "id" not in line:
            return errors + ["neither an error nor a result with an id"]
        if "error" in line:
            return errors + self.value(self.types["Error"], line["error"], "error")
        return errors + ([] if (method or "_").startswith("_") else
                         self.known(("agent", method, "Response"), line["result"], "result"))

    def known(self, key, value, place):
        if key not in self.methods:
            return ["the protocol has no %s of the %s called '%s'" % (key[2].lower(), key[0], key[1])]
        return self.value(self.methods[key], value, place)
