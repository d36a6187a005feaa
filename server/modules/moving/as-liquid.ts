/** A text in our Liquid, and expressions that are gone from it; or those that have no counterpart, and nothing is made of it. */
export type Converted = { text: string; gone: string[] } | { unknown: string[] }

/** An expression as it is here; `null` takes it away, and undefined is one that is not known. */
export type Convert = (expression: string) => string | null | undefined

/** Text in which braces are braces. */
export const withoutLiquid = (text: string) => text.replaceAll(/\{[{%]/g, (delimiter) => `{{ '${delimiter}' }}`)

/** A text of another template language, whose expressions a pattern finds. */
export function asLiquid(text: string, pattern: RegExp, convert: Convert): Converted {
  const [unknown, gone] = [new Set<string>(), new Set<string>()]
  let end = 0
  let converted = ''
  for (const match of text.matchAll(pattern)) {
    const ours = convert(match[0])
    if (ours === undefined) unknown.add(match[0])
    if (ours === null) gone.add(match[0])
    converted += withoutLiquid(text.slice(end, match.index)) + (ours ?? '')
    end = match.index + match[0].length
  }
  if (unknown.size > 0) return { unknown: [...unknown] }
  return { text: converted + withoutLiquid(text.slice(end)), gone: [...gone] }
}

export type Mail = { subject: string; body: string; text: string | null }

/** The parts of a mail, each converted; or why it cannot come along. */
export function mailAsLiquid(
  { subject, body, text }: Mail,
  convert: (text: string) => Converted,
): { mail: Mail; gone: string[] } | { why: string } {
  const parts = [subject, body, text ?? ''].map(convert)
  const unknown = parts.flatMap((part) => ('unknown' in part ? part.unknown : []))
  if (unknown.length > 0) return { why: `uses ${[...new Set(unknown)].join(', ')}, which has no counterpart here` }
  const sound = parts.flatMap((part) => ('text' in part ? [part] : []))
  const [ours = '', html = '', plain = ''] = sound.map((part) => part.text)
  return {
    mail: { subject: ours.trim(), body: html, text: plain || null },
    gone: [...new Set(sound.flatMap((part) => part.gone))],
  }
}
