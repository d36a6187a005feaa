import assert from 'node:assert/strict'
import test from 'node:test'
import { parseSmtpUrl } from './smtp-url.ts'

test('the scheme says how a mail server is spoken to, and clear text has to be asked for', () => {
  const read = (url: string) => {
    const { login, ...server } = parseSmtpUrl(url)
    return { ...server, login: login && [login.username, login.password.reveal()] }
  }
  assert.deepEqual(read('smtp://mail.example.com'), {
    ...{ host: 'mail.example.com', port: 587, tls: 'starttls', login: null },
  })
  assert.deepEqual(read('smtps://u%40x:p%3A%2F@mail.example.com'), {
    ...{ host: 'mail.example.com', port: 465, tls: 'implicit', login: ['u@x', 'p:/'] },
  })
  assert.deepEqual(read('smtp://[::1]:2525?tls=none'), { host: '::1', port: 2_525, tls: 'none', login: null })
})

test('what is no mail server is refused in a sentence that repeats no password', () => {
  const wrong = ['mail.example.com', 'https://mail.example.com', 'smtp://', 'smtp://u:geheim@h/path', 'smtp://h?tls=no']
  for (const url of [...wrong, 'smtps://h?tls=none', 'smtp://h?tls=none&x=1', 'smtp://u:geheim%@h', 'smtp://h:99999']) {
    assert.throws(
      () => parseSmtpUrl(url),
      (error: Error) => !error.message.includes('geheim'),
      url,
    )
  }
})
