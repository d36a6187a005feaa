import { hash } from 'node:crypto'
import fastJsonStringify from 'fast-json-stringify'
import { Compile } from 'typebox/compile'
import { Problem } from '../../platform/problem.ts'
import { compileAtUse } from '../../platform/schema/compile-at-use.ts'
import { fieldErrors } from '../../platform/schema/item-check.ts'
import { untrustedText } from '../../platform/untrusted-text.ts'
import type { CallOperation, OperationInput, Tool } from '../tool.ts'
import { type Agent, missingScopes } from './agent.ts'
import { askNoParts } from './ask-no-parts.ts'
import { Refused, refuse, type ToolRefusal } from './refusal.ts'

/** Of one result, as JSON; more would crowd out what the model is about. */
const RESULT_CHARS_MAX = 20_000
/** For so long after the first the same call of a tool that makes something is answered as that was. */
const REPEAT_SECONDS = 600

export type ToolOutcome = { result: object } | { refusal: ToolRefusal }

/** A tool with its check of input and its writer of output, both made at its first use. */
export type ReadyTool = Tool & { check(input: unknown): ToolRefusal | undefined; write(output: object): object }

export function readyTool(tool: Tool): ReadyTool {
  const validator = compileAtUse(() => Compile(tool.input))
  const writer = compileAtUse(() => fastJsonStringify(tool.output as never))
  return {
    ...tool,
    check(input) {
      if (validator().Check(input)) return undefined
      const errors = fieldErrors(validator().Errors(input), tool.input)
      const detail = errors
        .map((error) => `${error.pointer || 'the input'} ${error.detail}`)
        .slice(0, 5)
        .join('; ')
      return { code: 'invalid-request', detail, errors }
    },
    write: (output) => fitting(output, (shown) => writer()(shown)),
  }
}

/** Runs a tool for an agent: what it may not do, or what an operation refuses, is an answer and no fault. */
export async function callTool(
  agent: Agent,
  { tool, input }: { tool: ReadyTool; input: unknown },
): Promise<ToolOutcome> {
  const missing = missingScopes(agent, tool)
  if (missing.length > 0) {
    const detail = `The token lacks the scope ${missing.join(', ')}. Whoever made it can make one that has it.`
    return { refusal: { code: 'missing-scope', detail, missingScopes: missing } }
  }
  const fault = tool.check(input)
  if (fault) return { refusal: fault }
  try {
    const result = await tool.run(operationsOf(agent, tool.name), input as never)
    return { result: tool.write(result) }
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal }
    // A tool that says no by itself, in the words of its module.
    if (error instanceof Problem) return { refusal: refusalOf({ status: error.statusCode, body: error }) }
    throw error
  }
}

/** The way of one call of a tool, or of a resource, to operations. */
export function operationsOf(agent: Agent, tool: string): CallOperation {
  return async (operation, asked = {}) => {
    const given = askNoParts(operation, asked)
    const [method, path] = operation.split(' ', 2) as ['GET', string]
    // A path with steps up would be that of another operation.
    if (path.split('/').some(isStep)) throw refuse('invalid-request', `${path} is no path of an operation`)
    const answer = await agent.request({
      method,
      path: `${path}${queryOf(given.query)}`,
      body: given.body,
      headers: {
        'user-agent': userAgentOf(agent, tool),
      },
      once:
        given.once === true ? { key: repeatKey({ operation, body: given.body }), seconds: REPEAT_SECONDS } : undefined,
    })
    if (answer.status >= 400) throw new Refused(refusalOf(answer))
    return answer.body
  }
}

const STEPS: ReadonlySet<string> = new Set(['.', '..', '%2e', '%2e%2e', '.%2e', '%2e.'])

function isStep(segment: string): boolean {
  return STEPS.has(segment.toLowerCase())
}

/** The audit log has it: what was done by an agent, by which tool and for which client. */
function userAgentOf({ client, userAgent }: Agent, tool: string): string {
  return `mcp (tool ${tool}${client === '' ? '' : `; client "${client}"`})${userAgent === null ? '' : ` ${userAgent}`}`
}

/** The key of what an operation is asked for: a call that has become another one meanwhile, as by a template that was changed, is none of before. */
function repeatKey(asked: { operation: string; body: object | undefined }): string {
  return `mcp-${hash('sha256', JSON.stringify(asked), 'base64url')}`
}

function queryOf(query: OperationInput['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}

type ProblemBody = Pick<Problem, 'code' | 'title' | 'detail' | 'errors'>

function refusalOf({ status, body }: { status: number; body: unknown }): ToolRefusal {
  const { code, title, detail, errors } = (body ?? {}) as ProblemBody
  return {
    code: code ?? `status-${status}`,
    detail: untrustedText(detail ?? title ?? ''),
    ...(errors ? { errors } : {}),
  }
}

type Rows = { items?: unknown[] }

/** Leaves out rows until the rest fits. Without rows every part of a result has its own limit. */
function fitting(output: object, write: (shown: object) => string): object {
  let shown = output
  for (;;) {
    const text = write(shown)
    const { items } = shown as Rows
    if (text.length <= RESULT_CHARS_MAX || items === undefined || items.length <= 1) return JSON.parse(text)
    const kept = items.slice(0, Math.max(1, Math.floor((items.length * RESULT_CHARS_MAX) / text.length) - 1))
    shown = { ...output, items: kept, omitted: ((output as Rows).items?.length ?? 0) - kept.length }
  }
}
