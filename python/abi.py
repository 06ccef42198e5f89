#!/usr/bin/env python3
"""Reads include/mdam/mdam.h and writes what both sides of the Python package need of it.

    abi.py mdam.h --rows FILE      C: a row {name, value} for every struct's size, field's offset and enum's value
    abi.py mdam.h --python FILE    the same structs, enums and functions for ctypes

The library exports the rows as its compiler saw them, and the package compares them with its own when it is imported.
"""
import re
import sys

PLAIN = {"bool": "c_bool", "size_t": "c_size_t", "int32_t": "c_int32", "uint32_t": "c_uint32", "uint64_t": "c_uint64",
         "double": "c_double", "int": "c_int"}


def split_list(text):
    """Parts between commas that stand in no parentheses."""
    parts, depth, begin = [], 0, 0
    for i, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append(text[begin:i].strip())
            begin = i + 1
    last = text[begin:].strip()
    return parts + [last] if last else parts


class Header:
    def __init__(self, text):
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r"^\s*#[^\n]*(\\\n[^\n]*)*", "", text, flags=re.M)
        self.structs, self.enums, self.functions = {}, {}, {}
        for name, body in re.findall(r"\benum (\w+) \{(.*?)\};", text, re.S):
            value, values = -1, {}
            for item in split_list(body):
                key, _, given = (part.strip() for part in item.partition("="))
                value = int(given) if given else value + 1
                values[key] = value
            self.enums[name] = values
        bodies = re.findall(r"\bstruct (\w+) \{(.*?)\};", text, re.S)
        names = {name for name, _ in bodies}
        self.names = names
        for name, body in bodies:
            self.structs[name] = [field for line in body.split(";") if line.strip() for field in self.fields(line)]
        for result, stars, name, arguments in re.findall(r"MDAM_API ([\w ]+?)\s*(\**)(\w+)\(([^;]*)\);", text):
            kinds = [] if arguments.strip() == "void" else [self.argument(part) for part in split_list(arguments)]
            returned = "None" if result == "void" and not stars else self.kind(result, len(stars), returned=True)
            self.functions[name] = (returned, kinds)

    def kind(self, base, stars, returned=False):
        words = [word for word in base.split() if word not in ("const", "*")]
        constant = base.split()[0] == "const"
        name = words[-1]
        if not stars:
            if words[0] == "enum":
                return "c_int"
            return name if words[0] == "struct" else PLAIN[name]
        if name == "char" and stars == 1:
            return "c_char_p" if constant or not returned else "c_void_p"  # a text that is to be freed stays a pointer
        if name == "char":
            inner = "c_char_p" if constant else "c_void_p"
            stars -= 1
        elif name == "void" or (words[0] == "struct" and name not in self.names):
            inner = "c_void_p"
            stars -= 1
        else:
            inner = name if words[0] == "struct" else PLAIN[name]
        for _ in range(stars):
            inner = f"POINTER({inner})"
        return inner

    def callback(self, text):
        match = re.match(r"([\w ]+?)\s*(\**)\s*\(\*(\w+)\)\((.*)\)$", text.strip(), re.S)
        if not match:
            return None
        result, stars, name, arguments = match.groups()
        kinds = ["None" if result == "void" and not stars else self.kind(result, len(stars))]
        kinds += [self.argument(part) for part in split_list(arguments)]
        return name, f"CFUNCTYPE({', '.join(kinds)})"

    def argument(self, text):
        found = self.callback(text)
        if found:
            return found[1]
        text = re.sub(r"\*\s*const\b", "*", text)
        match = re.match(r"(.*?)(\**)\s*(\w+)?(\[\])?$", text.strip(), re.S)
        stars = text.count("*")
        base = text.replace("*", " ")
        words = base.split()
        if match[3] and len(words) > 1 and words[-1] not in PLAIN:
            known = words[-2] in ("struct", "enum") and len(words) == 2
            words = words if known else words[:-1]
        return self.kind(" ".join(words), stars)

    def fields(self, line):
        found = self.callback(line)
        if found:
            return [found]
        line = re.sub(r"\*\s*const\b", "*", line.strip())
        first, *others = split_list(line)
        match = re.match(r"(.*?)(\**)(\w+)$", first, re.S)
        base = match[1].strip()
        inner = base.count("*")
        base = base.replace("*", " ").strip()
        result = []
        for declared in [match[2] + match[3]] + others:
            stars = declared.count("*") + inner
            result.append((declared.replace("*", "").strip(), self.kind(base, stars)))
        return result


def write_rows(header):
    lines = []
    for name, values in header.enums.items():
        lines += [f'{{ "{key}", {key} }},' for key in values]
    for name, fields in header.structs.items():
        lines.append(f'{{ "{name}", sizeof(struct {name}) }},')
        lines += [f'{{ "{name}.{field}", offsetof(struct {name}, {field}) }},' for field, _ in fields]
    return "\n".join(lines) + "\n"


def write_python(header):
    lines = ['"""Written by abi.py from mdam.h: do not edit."""',
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32,",
             "                    c_uint64, c_void_p)", "", "ENUMS = {"]
    for name, values in header.enums.items():
        lines.append(f'    "{name}": {{{", ".join(f"{chr(34)}{key}{chr(34)}: {value}" for key, value in values.items())}}},')
    lines += ["}", ""]
    for name in header.structs:
        lines += ["", f"class {name}(Structure):", "    pass", ""]
    lines.append("")
    for name, fields in header.structs.items():
        lines.append(f"{name}._fields_ = [")
        lines += [f'    ("{field}", {kind}),' for field, kind in fields]
        lines.append("]")
    lines += ["", f"STRUCTS = [{', '.join(header.structs)}]", "", "FUNCTIONS = {"]
    for name, (returned, kinds) in header.functions.items():
        lines.append(f'    "{name}": ({returned}, [{", ".join(kinds)}]),')
    lines += ["}", ""]
    return "\n".join(lines)


def main():
    path, flag, output = sys.argv[1:]
    with open(path) as file:
        header = Header(file.read())
    with open(output, "w") as file:
        file.write(write_rows(header) if flag == "--rows" else write_python(header))


if __name__ == "__main__":
    main()
