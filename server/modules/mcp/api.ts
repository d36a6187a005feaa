import { crossSite } from '../../catalogue/problems.ts'
import { callInside } from '../../platform/http/call-inside.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { MCP_PATH } from '../auth/guard-api.ts'
import { type Agent, narrowingOf, plainName } from './agent.ts'
import { isKnownOrigin, type KnownOrigins } from './judge-origin.ts'
import type { ServeAgents } from './serve-agents.ts'

/** A tool may call some operations, each with its own deadline. */
const DEADLINE_MS = 15_000

/** The endpoint of agents. Its language is described by its own protocol, not by our document. */
export function mcpApi(app: HttpApp, { serve, origins }: { serve: ServeAgents; origins: KnownOrigins }): void {
  app.post(
    MCP_PATH,
    {
      schema: { operationId: 'Mcp_call', hide: true },
      config: { scope: 'any', deadlineMs: DEADLINE_MS },
      onRequest: (request, _reply, next) =>
        isKnownOrigin(request.headers.origin, origins) ? next() : next(crossSite()),
    },
    async (request, reply) => {
      const { caller, headers, query } = request
      const agent: Agent = {
        ...narrowingOf(query as Record<string, unknown>),
        ...{
          scopes: caller.scopes,
          isConnected: caller.ofAgent === true,
          userAgent: caller.userAgent,
          client: plainName(caller.userAgent),
        },
        request: (wanted) => callInside(app, request, wanted),
      }
      const { status, body } = await serve(agent, { body: request.body, headers })
      reply.code(status)
      return body === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
    },
  )
}
