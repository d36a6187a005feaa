import assert from 'node:assert/strict'
import { send } from './http-client.ts'

/** Calls the service as a story does, in which nothing is refused: answers the JSON, throws for any other answer than a 2xx. */
export function apiCall(service: () => { baseUrl: string; token: string }) {
  return async (method: string, path: string, json?: object) => {
    const { baseUrl, token } = service()
    const answer = await send(method, baseUrl + path, { token, ...(json === undefined ? {} : { json }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
}
