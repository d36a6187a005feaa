import { type Client, type ClientOptions, createClient } from '../../sdk/src/main.ts'

export type Sent = { method: string; url: URL; headers: Headers; body: string }
/** An answer, or the fault of the network. */
export type Scripted = Response | Error

const BASE_URL = 'https://mail.example.com'

/** A client whose server answers as it is told, the last answer over and over, and whose pauses take no time. */
export function scriptedClient(script: readonly Scripted[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = []
  const pauses: number[] = []
  const client: Client = createClient({
    baseUrl: BASE_URL,
    token: 'prt_test',
    async fetch(url, init) {
      const { method = 'GET', headers, body } = init ?? {}
      sent.push({
        method,
        url: new URL(String(url)),
        headers: new Headers(headers),
        body: body ? await new Response(body).text() : '',
      })
      const answer = script[Math.min(sent.length, script.length) - 1]!
      if (answer instanceof Error) throw answer
      return answer.clone()
    },
    async pause(ms) {
      pauses.push(ms)
    },
    ...options,
  })
  return { client, sent, pauses }
}

export function answer(status: number, json?: unknown, headers: Record<string, string> = {}): Response {
  const body = json === undefined ? null : JSON.stringify(json)
  const type = status < 300 ? 'application/json; charset=utf-8' : 'application/problem+json; charset=utf-8'
  return new Response(body, { status, headers: { ...(body === null ? {} : { 'content-type': type }), ...headers } })
}

export const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  answer(status, { type: `/docs/problems#${code}`, title: `It is ${code}`, status, code, requestId: 'req-1' }, headers)

/** The way a fetch says that the connection broke. */
export const broken = () => new TypeError('fetch failed')
