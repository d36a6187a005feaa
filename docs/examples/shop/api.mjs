import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const TRIES_MAX = 10

/**
 * Requests to Postroom's API. One that a busy server could not answer is made again, and takes effect once: its `Idempotency-Key` stays the same.
 * Throws what it answers when it refuses, and when it is not there.
 */
export function apiOf(postroom, token) {
  return async (method, path, json) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    }
    const request = { method, headers, ...(json && { body: JSON.stringify(json) }) }
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${postroom}/api${path}`, request).catch((error) => {
        throw new Error(`Postroom does not answer at ${postroom}: ${error.cause?.message ?? error.message}`)
      })
      const text = await response.text()
      if (response.ok) return text && JSON.parse(text)
      if (!isBusy(response, text) || tries === TRIES_MAX)
        throw new Error(`${method} ${path}: ${response.status} ${text}`)
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000)
    }
  }
}

/** Whether the same request may be answered a moment later; `request-in-flight`: the one before it still is. */
function isBusy({ status }, text) {
  return status === 429 || status === 503 || (status === 409 && text.includes('request-in-flight'))
}
