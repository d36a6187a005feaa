import { styleText } from 'node:util'

const COLOURS = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green', debug: 'blue', trace: 'gray' } as const
const PLAIN_VALUE = /^[\w./:@*+-]+$/
const CONTROL = /\p{Cc}/gu

type Described = { type?: string; message?: string; stack?: string; cause?: Described | string; code?: unknown }

/** A JSON log line as a person at a terminal reads it: `10:40:12.345Z INFO  listening port=3000`, errors below. */
export function prettyLine(json: string, colour: boolean): string {
  const { time, level, msg, pid: _pid, err, ...fields } = JSON.parse(json) as Record<string, unknown>
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text
  const levelText = String(level).toUpperCase().padEnd(5)
  const shown = Object.entries(fields).map(([key, value]) => `${paint('gray', `${oneLine(key)}=`)}${valueText(value)}`)
  const head = [
    paint('gray', String(time).slice(11)),
    paint(COLOURS[level as keyof typeof COLOURS] ?? 'gray', levelText),
    ...(msg === undefined ? [] : [oneLine(String(msg))]),
    ...shown,
  ]
  return `${[head.join(' '), ...errorLines(err as Described | string | undefined, '    ')].join('\n')}\n`
}

function errorLines(error: Described | string | undefined, indent: string): string[] {
  if (error === undefined) return []
  if (typeof error === 'string') return [indent + oneLine(error)]
  const { type = 'Error', message = '', stack, cause, code } = error
  const codeText = code === undefined ? '' : ` (${oneLine(String(code))})`
  const frames = stack ? stack.split('\n').map((frame) => `${indent}    ${oneLine(frame)}`) : []
  const causes = errorLines(cause, indent)
  if (causes[0] !== undefined) causes[0] = `${indent}caused by ${causes[0].trimStart()}`
  return [`${indent}${oneLine(`${type}: ${message}`)}${codeText}`, ...frames, ...causes]
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && PLAIN_VALUE.test(value)) return value
  return oneLine(JSON.stringify(value))
}

/** No text may start a line of its own or command the terminal. */
function oneLine(text: string): string {
  return text.replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1))
}
