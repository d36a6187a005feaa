import { format } from 'node:util'
import { type LoggerOptions as PinoOptions, pino } from 'pino'
import { cleanFields, cleanValue } from './clean-fields.ts'
import { logFields } from './log-context.ts'
import { prettyLine } from './pretty-line.ts'
import { maskEmails, type Scrub, scrubber } from './scrub-text.ts'
import type { Secret } from './secret.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_FORMATS = ['json', 'pretty'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export type LoggerOptions = {
  level: LogLevel
  /** Without it: `pretty` on a terminal, else `json`. */
  format?: LogFormat | undefined
  /** Values that must not appear in any line, whatever the way they got there (12 characters or more). */
  secrets?: readonly Secret[]
  /** Takes whole lines. Without it: standard output, each line written before the call returns. */
  destination?: { write(line: string): void }
}

/** `log.info({ field }, 'message')`, `log.error(error, 'message')`, `log.child({ field })`. */
export type Logger = pino.Logger

const INFO = pino.levels.values.info ?? 30

/**
 * One line per call: JSON (`level`, ISO `time`, `pid`, fields, `msg`) or text for a terminal. Everything that enters a line
 * passes `cleanFields` and the scrubber; at level info and above e-mail addresses are masked. Fields set by
 * `withLogFields` are on every line.
 */
export function createLogger(options: LoggerOptions): Logger {
  const scrub = scrubber((options.secrets ?? []).map((secret) => secret.reveal()))
  const scrubAndMask: Scrub = (text) => maskEmails(scrub(text))
  const settings: PinoOptions = {
    level: options.level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // Errors arrive described: pino's own serializer would take the description for an error and describe it again.
    serializers: { err: (described) => described },
    mixin: () => cleanFields(logFields() ?? {}, scrubAndMask),
    hooks: {
      logMethod(args, method, level) {
        const { fields, message } = lineOf(args, level >= INFO ? scrubAndMask : scrub)
        if (message === undefined) method.call(this, fields)
        else method.call(this, fields, message)
      },
    },
  }
  return cleaningChildren(pino(settings, destinationOf(options)), scrubAndMask)
}

function lineOf(args: readonly unknown[], scrub: Scrub): { fields: object; message?: string } {
  const [first, ...rest] = args
  if (typeof first !== 'object' || first === null) return { fields: {}, message: messageOf(args, scrub) }
  const fields = first instanceof Error ? { err: first } : first
  const error = 'err' in fields && fields.err instanceof Error ? fields.err : undefined
  const message = rest.length > 0 ? messageOf(rest, scrub) : error && scrub(error.message)
  return { fields: cleanFields(fields, scrub), ...(message === undefined ? {} : { message }) }
}

function messageOf(args: readonly unknown[], scrub: Scrub): string {
  const [text, ...values] = args
  return scrub(format(text, ...values.map((value) => cleanValue(value, scrub))))
}

/** pino cleans the bindings of a root logger only; and a child could bring serializers that undo what was cleaned. */
function cleaningChildren(root: Logger, scrub: Scrub): Logger {
  const child = root.child
  const setBindings = root.setBindings
  root.child = function cleanChild(this: Logger, bindings: pino.Bindings, options?: pino.ChildLoggerOptions) {
    return child.call(this, cleanFields(bindings, scrub), options?.level === undefined ? {} : { level: options.level })
  } as typeof root.child
  root.setBindings = function setCleanBindings(this: Logger, bindings: pino.Bindings) {
    setBindings.call(this, cleanFields(bindings, scrub))
  }
  return root
}

/** The form of lines where none was asked for: text for a terminal, JSON for whatever else reads it. */
export function formatOf(asked: LogFormat | undefined): LogFormat {
  return asked ?? (process.stdout.isTTY ? 'pretty' : 'json')
}

function destinationOf({ format, destination }: LoggerOptions): { write(line: string): void } {
  const out = destination ?? pino.destination({ dest: 1, sync: true })
  if (formatOf(format) === 'json') return out
  const colour = destination === undefined && process.stdout.hasColors?.() === true
  return { write: (line) => out.write(prettyLine(line, colour)) }
}
