import assert from 'node:assert/strict'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'

type App = { inject: (request: InjectOptions) => Promise<LightMyRequestResponse> }

/**
 * Posts as the button of a page for readers does, and goes where it is led, as browsers do: to a page that can be asked for again, so that
 * Back and a reload post nothing. A refusal is the answer itself.
 */
export async function pressOnPage(app: App, request: InjectOptions): Promise<LightMyRequestResponse> {
  const answer = await app.inject({ method: 'POST', ...request })
  if (answer.statusCode >= 400) return answer
  assert.equal(answer.statusCode, 303)
  return app.inject({ method: 'GET', url: answer.headers.location! })
}
