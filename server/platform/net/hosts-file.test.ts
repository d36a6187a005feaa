import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createHostsLookup, parseHosts } from './hosts-file.ts'

test('a hosts file gives every address of a name, in any case, without comments', () => {
  const names = parseHosts(
    '127.0.0.1\tlocalhost # me\n\n# 9.9.9.9 no\n::1 localhost ip6\n10.0.0.7  Hook.Example a.b\nx y\n',
  )
  assert.deepEqual(names.get('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(names.get('hook.example'), ['10.0.0.7'])
  assert.deepEqual(names.get('a.b'), ['10.0.0.7'])
  assert.equal(names.has('no'), false)
  assert.equal(names.has('y'), false)
})

test('a hosts file that is missing has no names', async () => {
  assert.deepEqual(await createHostsLookup('/nonexistent/hosts')('a.example'), [])
})

test('names are found in the file on disk', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hosts-'))
  try {
    const path = join(directory, 'hosts')
    await writeFile(path, '192.0.2.1 a.example\n')
    const lookup = createHostsLookup(path)
    assert.deepEqual(await lookup('a.example'), ['192.0.2.1'])
    assert.deepEqual(await lookup('b.example'), [])
  } finally {
    await rm(directory, { recursive: true })
  }
})
