import { type Context, type Emitter, type Liquid, Parser, type Template, TokenKind, toValueSync } from 'liquidjs'
import { FixedText } from '../../../platform/mail/mail-text.ts'
import type { BoundedContext } from './bounded-context.ts'

/** Text of a template that is long enough to be kept in the form that it has in a mail. */
const FIXED_CHARS_MIN = 100

type Read = (context: BoundedContext) => unknown
/** What of the library's parsed output is looked at: `{{ initial | filter: argument, key: argument }}`. */
type Operand = { content?: unknown; variable?: unknown; props?: readonly Operand[] }
type FilterNode = {
  args: readonly (Operand | [string, Operand])[]
  handler: (...given: unknown[]) => unknown
  token: unknown
}
type OutputNode = { value?: { initial: { postfix: readonly Operand[] }; filters: readonly FilterNode[] }; str?: string }

/**
 * Parses as the library does, and replaces the way it renders texts and plain outputs: its generators, which let outputs
 * wait for promises, take several times as long as what they do. Tags render as they did, with quick nodes inside
 * (quick-renderer.ts). A mail of 30 KB with 130 outputs and 22 links took two thirds of the time of its DKIM signature
 * before, and a third with that.
 */
export function parseLiquid(engine: Liquid, source: string): Template[] {
  return new QuickParser(engine).parse(source)
}

class QuickParser extends Parser {
  override parseToken(...given: Parameters<Parser['parseToken']>): ReturnType<Parser['parseToken']> {
    const node = super.parseToken(...given)
    const { kind } = given[0]
    const render = kind === TokenKind.Tag ? undefined : quickRender(node as unknown as OutputNode)
    return render === undefined ? node : Object.assign(node, { render, isQuick: true })
  }
}

function quickRender({ str, value }: OutputNode) {
  if (str !== undefined) {
    const fixed = str.length < FIXED_CHARS_MIN ? str : new FixedText(str)
    return (_context: Context, emitter: Emitter) => emitter.write(fixed)
  }
  if (value === undefined || value.initial.postfix.length !== 1) return undefined
  const read = readerOf(value.initial.postfix[0]!)
  const filters = value.filters.map(filterOf)
  if (read === undefined || !filters.every((filter) => filter !== undefined)) return undefined
  return (context: BoundedContext, emitter: Emitter) => {
    let result = read(context)
    for (const filter of filters) result = filter(context, result)
    emitter.write(result)
  }
}

function filterOf({ args, handler, token }: FilterNode) {
  const readers = args.map((arg) => (Array.isArray(arg) ? pairReader(arg) : readerOf(arg)))
  if (!readers.every((reader) => reader !== undefined)) return undefined
  return (context: BoundedContext, value: unknown) => {
    const given = readers.map((read) => read(context))
    return toValueSync(handler.call({ context, token, liquid: context.liquid }, value, ...given))
  }
}

function pairReader([key, operand]: [string, Operand]): Read | undefined {
  const read = readerOf(operand)
  return read && ((context) => [key, read(context)])
}

/** How to come by a literal, or by a variable whose path is written out; undefined for anything else. */
function readerOf(operand: Operand): Read | undefined {
  if ('content' in operand) return () => operand.content
  const { props, variable } = operand
  if (props === undefined || variable !== undefined) return undefined
  const path = props.map((prop) => ('content' in prop ? prop.content : undefined)) as (string | number)[]
  return path.includes(undefined as never) ? undefined : (context) => context.lookUp(path)
}
