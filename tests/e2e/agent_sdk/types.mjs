// A program that passes every kind of line through a function that takes SDKMessage.
import fs from "node:fs";

const kinds = new Map();
for (const line of fs.readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  const message = JSON.parse(line);
  const shape = (value) =>
    Array.isArray(value) ? [...new Set(value.map(shape))].join()
    : value && typeof value === "object" ? Object.entries(value).map(([name, inner]) => name + ":" + (["type", "subtype", "role"].includes(name) ? inner : shape(inner))).join()
    : typeof value;
  const kind = shape(message);
  if (!kinds.has(kind)) kinds.set(kind, message);
}
console.log('import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";\nconst take = (_: SDKMessage) => {};');
const mutable = "type M<T> = T extends readonly (infer I)[] ? M<I>[] : T extends object ? { -readonly [K in keyof T]: M<T[K]> } : T;";
console.log(mutable + "\nconst free = <T>(value: T) => value as M<T>;");
let number = 0;
for (const message of kinds.values()) {
  const text = JSON.stringify(message).replace(/"(uuid|session_id)":"([^"]*)"/g, '"$1":"$2"');
  console.log(`const m${++number} = ${text} as const;\ntake(free(m${number}));`);
}
