import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { once } from '../../platform/once.ts'
import { type Agent, plainName } from './agent.ts'
import { type AgentServerDeps, agentServer, type McpSdk } from './agent-server.ts'

export type Asked = { body: unknown; headers: Readonly<Record<string, string | string[] | undefined>> }
export type Told = { status: number; body: string | undefined }

export type ServeDeps = Omit<AgentServerDeps, 'sdk'>

/** Answers one request of the protocol. */
export type ServeAgents = (agent: Agent, asked: Asked) => Promise<Told>

/** The library and its validator are 15 MB: a server that no agent calls never pays for them. */
const loadSdk = () => import('@modelcontextprotocol/server')

/**
 * Serves the Model Context Protocol without any state, in both its eras: of 2026-07-28, where each request says everything about
 * itself, and of 2025, of which `initialize` is answered like any other request. Answers are JSON, never streams.
 */
export function createServeAgents(deps: ServeDeps): ServeAgents {
  const load = once(async () => {
    const sdk: McpSdk = await loadSdk()
    return { sdk, modern: modernHandler(deps, sdk) }
  })
  return async (agent, { body, headers }) => {
    const refused = refusalOf(body)
    if (refused) return refused
    const { sdk, modern } = await load()
    const request = requestOf(headers)
    if (!(await sdk.isLegacyRequest(request, body))) {
      const authInfo = { token: '', clientId: '', scopes: [], extra: { agent } }
      return toldOf(await modern.fetch(request, { parsedBody: body, authInfo }))
    }
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = agentServer({ ...deps, sdk }, { ...agent, client: initializedName(body) || agent.client })
    await server.connect(transport)
    try {
      return toldOf(await transport.handleRequest(request, { parsedBody: body }))
    } finally {
      await server.close()
    }
  }
}

function modernHandler(deps: ServeDeps, sdk: McpSdk): McpHttpHandler {
  return sdk.createMcpHandler(({ authInfo }) => agentServer({ ...deps, sdk }, authInfo!.extra!.agent as Agent), {
    legacy: 'reject',
    keepAliveMs: 0,
  })
}

const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
/** Streams of changes: nothing of ours changes while a client listens. */
const STREAMS = 'subscriptions/listen'

/** A batch is one request in disguise of many, and no era that is served has it. */
function refusalOf(body: unknown): Told | undefined {
  if (Array.isArray(body)) return errorOf(400, { code: INVALID_REQUEST, message: 'Batches are not taken.' }, null)
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown }
  if (method !== STREAMS) return undefined
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  return errorOf(404, { code: METHOD_NOT_FOUND, message: 'Method not found' }, known)
}

function errorOf(status: number, error: { code: number; message: string }, id: string | number | null): Told {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/** Headers of the protocol; the others have done their work before. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name']

function requestOf(headers: Asked['headers']): Request {
  const given = PROTOCOL_HEADERS.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [['content-type', 'application/json'], ['accept', 'application/json, text/event-stream'], ...given],
    body: '{}',
  })
}

async function toldOf(response: Response): Promise<Told> {
  const body = await response.text()
  return { status: response.status, body: body === '' ? undefined : body }
}

function initializedName(body: unknown): string {
  const { clientInfo } = ((body as { params?: unknown } | null)?.params ?? {}) as {
    clientInfo?: Record<string, unknown>
  }
  return plainName([clientInfo?.name, clientInfo?.version].filter(Boolean).join(' '))
}
