/** How a language writes values. */
export type Dialect = {
  text(value: string): string
  constants: { true: string; false: string; null: string }
  /** Around the entries of an object, before and after them, and instead of one without any. */
  object: { open: string; close: string; space: string; empty: string; entry(name: string, value: string): string }
}

const WIDTH_MAX = 90
const INDENT = '  '

/** A JSON value as a literal of a language: in one line where it fits, else a line for each entry. */
export function literal(value: unknown, dialect: Dialect): string {
  if (value === null || typeof value === 'boolean') return dialect.constants[String(value) as 'null']
  if (typeof value === 'string') return dialect.text(value)
  if (typeof value !== 'object') return String(value)
  const { open, close, space, empty, entry } = dialect.object
  if (Array.isArray(value))
    return inBrackets(
      value.map((item) => literal(item, dialect)),
      ['[', ']'],
    )
  const entries = Object.entries(value).map(([name, part]) => entry(name, literal(part, dialect)))
  return entries.length === 0 ? empty : inBrackets(entries, [open, close], space)
}

/** Parts between brackets, in one line where they fit. */
export function inBrackets(parts: readonly string[], [open, close]: readonly [string, string], space = ''): string {
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length <= WIDTH_MAX && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${indented(part)},`).join('\n')}\n${close}`
}

export function indented(text: string, by = INDENT): string {
  return `${by}${text.replaceAll('\n', `\n${by}`)}`
}

export const JAVASCRIPT: Dialect = {
  text: quoted,
  constants: { true: 'true', false: 'false', null: 'null' },
  object: {
    open: '{',
    close: '}',
    space: ' ',
    empty: '{}',
    entry: (name, value) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)}: ${value}`,
  },
}

export const PYTHON: Dialect = {
  text: JSON.stringify,
  constants: { true: 'True', false: 'False', null: 'None' },
  object: {
    open: '{',
    close: '}',
    space: '',
    empty: '{}',
    entry: (name, value) => `${JSON.stringify(name)}: ${value}`,
  },
}

/** An array without entries would become a list. */
export const PHP: Dialect = {
  text: (value) => (/[\n\t\r]/.test(value) ? doubleQuotedPhp(value) : `'${value.replaceAll(/[\\']/g, '\\$&')}'`),
  constants: { true: 'true', false: 'false', null: 'null' },
  object: {
    open: '[',
    close: ']',
    space: '',
    empty: 'new stdClass()',
    entry: (name, value) => `'${name}' => ${value}`,
  },
}

function quoted(value: string): string {
  return value.includes("'") || /[\\\n\t\r]/.test(value) ? JSON.stringify(value) : `'${value}'`
}

function doubleQuotedPhp(value: string): string {
  return `"${value
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')}"`
}
