/** The tags of a record, in their order, or what is wrong with it in plain words. */
export type TagList = { tags: ReadonlyMap<string, string> } | { fault: string }

const TAG_NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/

/**
 * Reads `name=value` pairs separated by semicolons (RFC 6376 section 3.2, RFC 7489 section 6.4): space around names and
 * values does not count, a name stands once.
 */
export function parseTagList(text: string): TagList {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    if (part.trim() === '') continue
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(equals, 0)).trim()
    if (equals < 0 || !TAG_NAME.test(name)) return { fault: `"${part.trim()}" is not a tag of the form name=value` }
    if (tags.has(name)) return { fault: `the tag ${name}= stands twice` }
    tags.set(name, part.slice(equals + 1).trim())
  }
  return { tags }
}
