import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { loginFor, safeNext } from './app-page.ts'

const nextOf = (url: string) => {
  const login = loginFor({ method: 'GET', url } as FastifyRequest)
  return safeNext(new URL(login, 'https://postroom.example').searchParams.get('next') ?? undefined)
}

test('a login leads back to a question with signs that nobody has to encode', () => {
  const state = "it's (me)! @home; $1 [a|b]^"
  const next = nextOf(`/app/connect-agent?state=${encodeURI(state)}&scope=contacts:read`)
  const { pathname, searchParams } = new URL(next, 'https://postroom.example')
  assert.equal(pathname, '/app/connect-agent')
  assert.deepEqual(Object.fromEntries(searchParams), { state, scope: 'contacts:read' })
})

test('a login leads nowhere else', () => {
  for (const url of ['//evil.example', '/app\\evil.example', '/app@evil.example', 'https://evil.example/app/', '/app/'])
    assert.equal(nextOf(url), '/app', url)
})
