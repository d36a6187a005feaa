import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../telemetry/secret.ts'
import { createReplyReader } from './read-replies.ts'
import { logIn } from './smtp-login.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The words of a login to a server that answers with these replies, and its end. */
async function conversation(
  methods: string[],
  replies: string[],
  { username = 'tim', password = 'tanstaaftanstaaf' } = {},
) {
  const said: string[] = []
  const failure = await logIn({
    methods,
    login: { username, password: new Secret(password) },
    async command(line) {
      said.push(line)
      return createReplyReader().push(Buffer.from(`${replies.shift() ?? '421 too much'}\r\n`))![0]!
    },
  })
  return { said, ended: failure === null ? 'in' : failure.code }
}

test('each mechanism says what its specification asks for', async () => {
  const plain = base64('\0tim\0tanstaaftanstaaf')
  assert.deepEqual(await conversation(['PLAIN'], ['235 in']), { said: [`AUTH PLAIN ${plain}`], ended: 'in' })
  assert.deepEqual(await conversation(['PLAIN'], ['334 ', '235 in']), {
    said: [`AUTH PLAIN ${plain}`, plain],
    ended: 'in',
  })
  assert.deepEqual(await conversation(['LOGIN'], ['334 VXNlcm5hbWU6', '334 UGFzc3dvcmQ6', '235 in']), {
    said: ['AUTH LOGIN', base64('tim'), base64('tanstaaftanstaaf')],
    ended: 'in',
  })
  // The example of RFC 2195 section 2.
  const challenge = '334 PDE4OTYuNjk3MTcwOTUyQHBvc3RvZmZpY2UucmVzdG9uLm1jaS5uZXQ+'
  assert.deepEqual(await conversation(['CRAM-MD5'], [challenge, '235 in']), {
    said: ['AUTH CRAM-MD5', 'dGltIGI5MTNhNjAyYzdlZGE3YTQ5NWI0ZTZlNzMzNGQzODkw'],
    ended: 'in',
  })
})

test('the first of PLAIN, LOGIN and CRAM-MD5 that is offered is taken; without one nothing is said', async () => {
  const first = async (...methods: string[]) => (await conversation(methods, ['535 no'])).said[0]?.split(' ')[1]
  assert.equal(await first('CRAM-MD5', 'LOGIN', 'PLAIN'), 'PLAIN')
  assert.equal(await first('GSSAPI', 'CRAM-MD5', 'LOGIN'), 'LOGIN')
  assert.equal(await first('SCRAM-SHA-256', 'CRAM-MD5'), 'CRAM-MD5')
  assert.deepEqual(await conversation(['GSSAPI'], []), { said: [], ended: 'auth_not_offered' })
  assert.deepEqual(await conversation(['constructor'], []), { said: [], ended: 'auth_not_offered' })
})

test('an access token is told to a server that takes tokens, and to no other', async () => {
  const token = { username: 'tim@x.example', password: 'bearer ya29.abc ' }
  assert.deepEqual(await conversation(['PLAIN', 'LOGIN'], [], token), { said: [], ended: 'auth_not_offered' })
  const presented = `AUTH XOAUTH2 ${base64('user=tim@x.example\u0001auth=Bearer ya29.abc\u0001\u0001')}`
  assert.deepEqual(await conversation(['PLAIN', 'XOAUTH2'], ['235 in'], token), { said: [presented], ended: 'in' })
  assert.deepEqual(await conversation(['XOAUTH2'], ['334 eyJz', '535 5.7.8 no'], token), {
    said: [presented, ''],
    ended: 'credentials_refused',
  })
})

test('a refusal ends a login wherever it comes, and is told by its code', async () => {
  const ended = async (methods: string[], ...replies: string[]) => {
    const { said, ended } = await conversation(methods, replies)
    return [said.length, ended]
  }
  assert.deepEqual(await ended(['LOGIN'], '535 no'), [1, 'credentials_refused'])
  assert.deepEqual(await ended(['LOGIN'], '334 x', '454 later'), [2, 'auth_unavailable'])
  assert.deepEqual(await ended(['LOGIN'], '334 x', '235 early'), [2, 'in'])
  assert.deepEqual(await ended(['CRAM-MD5'], '504 5.5.4 no'), [1, 'credentials_refused'])
  assert.deepEqual(await ended(['PLAIN'], '250 fine'), [1, 'auth_failed'])
  assert.deepEqual(await ended(['PLAIN'], '334 ', '334 '), [2, 'auth_failed'])
})
