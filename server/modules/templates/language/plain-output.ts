import { type Emitter, type Liquid, type Output, type Template, type Token, toValueSync } from 'liquidjs'
import type { BoundedContext } from './bounded-context.ts'
import type { RegisteredFilter } from './liquid-filters.ts'

type Read = (context: BoundedContext) => unknown
type FilterNode = Output['value']['filters'][number]
type FilterArgument = FilterNode['args'][number]

/**
 * An output that is rendered at once: `{{ a.b["c"] | filter: d, e: 1 }}` with variables, literals and filters. Undefined
 * for what has operators, ranges, or places that are computed (`a[b]`): the library renders those.
 */
export function plainOutput(output: Output, engine: Liquid): Template | undefined {
  const { initial, filters } = output.value
  const read = initial.postfix.length === 1 ? readerOf(initial.postfix[0]!) : undefined
  const apply = filters.map((filter) => filterOf(filter, engine))
  if (read === undefined || !apply.every((filter) => filter !== undefined)) return undefined
  return {
    token: output.token,
    arguments: () => output.arguments(),
    render(context: BoundedContext, emitter: Emitter) {
      let value = read(context)
      for (const filter of apply) value = filter(context, value)
      emitter.write(value)
    },
  }
}

function filterOf({ name, args }: FilterNode, engine: Liquid) {
  const readers = args.map((arg) => argumentReader(arg))
  if (!readers.every((reader) => reader !== undefined)) return undefined
  // The filter that the library puts last, to escape the output, stands in no table.
  const { handler } = (engine.filters[name] ?? { handler: engine.options.outputEscape }) as RegisteredFilter
  return (context: BoundedContext, value: unknown) => {
    const given = readers.map((read) => read(context))
    return toValueSync(handler.call({ context }, value, ...given))
  }
}

function argumentReader(argument: FilterArgument): Read | undefined {
  if (!Array.isArray(argument)) return readerOf(argument)
  const [key, operand] = argument
  const read = operand === undefined ? undefined : readerOf(operand)
  return read && ((context) => [key, read(context)])
}

type Literal = { content: unknown }
type Access = { props: readonly Token[]; variable: Token | undefined }

/** How to come by a literal, or by a variable whose path is written out; undefined for anything else. */
function readerOf(operand: Token): Read | undefined {
  if (isLiteral(operand)) return () => operand.content
  if (!isAccess(operand) || operand.variable !== undefined) return undefined
  const path = operand.props.map((prop) => (isLiteral(prop) ? (prop.content as string | number) : undefined))
  return path.every((key) => key !== undefined) ? (context) => context.lookUp(path) : undefined
}

function isLiteral(token: Token): token is Token & Literal {
  return 'content' in token
}

function isAccess(token: Token): token is Token & Access {
  return 'props' in token
}
