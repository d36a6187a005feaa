import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Scope } from '../catalogue/scopes.ts'
import { ID_PATTERN, nullable } from '../platform/schema/schemas.ts'

/** Groups that a client may ask for alone, in the order in which tools are listed. */
export const TOOLSETS = ['overview', 'people', 'content', 'broadcasts', 'insight', 'sending', 'api'] as const
export type Toolset = (typeof TOOLSETS)[number]

/** Calls an operation of `/api` as the agent's token; a refusal of it ends the tool. Answers as that operation does. */
export type CallOperation = (
  operation: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`,
  given?: OperationInput,
  // Answers are those of the operation's schema; each tool picks from them what its own schema has.
  // biome-ignore lint/suspicious/noExplicitAny: answers of all operations, of which each tool knows its own
) => Promise<any>

export type OperationInput = {
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: object
  /** Marks what would make a second thing: the same call within ten minutes is answered as the first was. */
  once?: boolean
}

/** The effect of a tool on the world, as its client is told. */
export type ToolEffect =
  /** Nothing. */
  | 'reads'
  /** The same call again makes no difference. */
  | 'changes'
  /** Something new each time. */
  | 'makes'
  /** It takes something away, or cannot be taken back. */
  | 'ends'

/** An act that agents may do, over operations that programs have. */
export type Tool = {
  name: string
  title: string
  toolset: Toolset
  /** Scopes of its operations; a token that lacks one is not shown it. */
  needs: readonly Scope[]
  effect: ToolEffect
  /** Whether it takes somebody who holds the token and so may send by it: an agent that a person connected may only ask. */
  forHoldersAlone?: true
  /** For the model: at most 60 words. */
  description: string
  input: TObject
  /** Everything else an answer has does not leave; texts of strangers are below `untrusted` alone. */
  output: TObject
  run(call: CallOperation, input: never): Promise<object>
}

/** Declares a tool; its input and output are those of its schemas. */
export function defineTool<I extends TObject, O extends TObject>(
  tool: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: I
    output: O
    run(call: CallOperation, input: Static<I>): Promise<Static<O>>
  },
): Tool {
  return tool
}

/** Texts of strangers: data, whatever they say. */
export const Untrusted = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** An id as input; its pattern alone, for the list of tools is read by models. */
export const IdInput = Type.String({ pattern: ID_PATTERN, maxLength: 19 })

/** Text of our own or of a member, in the short form of tools. */
export const Text = Type.String()
export const MaybeText = nullable(Type.String())

export const ROWS_MAX = 50
const ROWS_DEFAULT = 20

/** Input of a tool that lists. */
export const PAGE_INPUT = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
}

type PageInput = { page?: number; limit?: number }

/** Query of the operation that a tool lists by. */
export function pageQuery({ page = 1, limit = ROWS_DEFAULT }: PageInput): { page: number; pageSize: number } {
  return { page, pageSize: limit }
}

/** Output of such a tool. `omitted`: rows that did not fit into the answer; a smaller limit has them. */
export function listedOutput<S extends TSchema>(item: S) {
  return Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    nextPage: Type.Optional(Type.Integer()),
    omitted: Type.Optional(Type.Integer()),
  })
}

type Listed<T> = { items: T[]; page: number; totalItems: number; totalPages: number }

export function listed<T, U>({ items, page, totalItems, totalPages }: Listed<T>, show: (item: T) => U) {
  return { items: items.map(show), total: totalItems, ...(page < totalPages ? { nextPage: page + 1 } : {}) }
}
