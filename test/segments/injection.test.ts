import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSegment } from '../../server/modules/segments/manage-segments.ts'
import { createPreview } from '../../server/modules/segments/preview-segment.ts'
import { readSegments } from '../../server/modules/segments/read-segments.ts'
import { inTransaction } from '../../server/platform/db/transaction.ts'
import type { Problem } from '../../server/platform/problem.ts'
import { createWorkspace, testWorkspace } from '../support/workspace.ts'

/** Text that has ended a literal, a name, a pattern, a path, a number or a statement somewhere before. */
const HOSTILE = [
  `'`,
  `''`,
  `"`,
  `\\`,
  `\\'`,
  `'; drop table contacts; --`,
  `" or 1=1 --`,
  `') or true --`,
  `x' or '1'='1`,
  `1; select pg_sleep(10)`,
  `$1`,
  `$$; rollback; $$`,
  `/* */`,
  `--`,
  `%`,
  `_`,
  `%' --`,
  `{}`,
  `{1,2}`,
  `["a"]`,
  `$.a ? (@ == 1)`,
  `::text`,
  `null`,
  `NaN`,
  `Infinity`,
  `1e309`,
  `0x10`,
  `-0`,
  `true`,
  `__proto__`,
  `constructor`,
  `toString`,
  `\u2028`,
  `😀'`,
  `\u202e'; --`,
  `a,b`,
  `a\\,b`,
  `\t\r\n`,
  `\u0001`,
  `c.id`,
  `s1.contact_id`,
  `current_setting('postroom.workspace')`,
  `x'.repeat(3)`,
]

const { pool, workspaceId, caller } = await testWorkspace()
const preview = createPreview(pool)
const rule = (field: string, operator: string, value: unknown) => ({ field, operator, value })
const define = (...rules: object[]) => JSON.stringify({ combinator: 'and', rules })
const visible = HOSTILE.filter((text) => text.trim() === text && text !== '')

/** A contact for each text, which it has as a name, under a custom key, as a tag and in an event; and a neighbour alike. */
for (const scope of [workspaceId, await createWorkspace(pool)]) {
  await inTransaction(pool, scope, async (tx) => {
    await tx.query(
      `with c as (
         insert into contacts (workspace_id, subject_id, first_name, custom_fields)
         select $1, 'hostile-' || n, text, jsonb_build_object(text || ' key', 'held', 'text', text)
         from unnest($2::text[]) with ordinality as given (text, n) returning id, first_name
       ), t as (
         insert into tags (workspace_id, name) select $1, first_name from c returning id, name
       ), ct as (
         insert into contact_tags (workspace_id, tag_id, contact_id)
         select $1, t.id, c.id from t join c on c.first_name = t.name
       )
       insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
       select $1, nextval('outbox_position'), now(), 'event.recorded', first_name, '', id,
         jsonb_build_object(first_name, first_name), now()
       from c`,
      [scope, visible],
    )
  })
}

test('hostile text in any place of a rule finds exactly what is called so, and harms nothing', async () => {
  for (const text of visible) {
    const escaped = text.replaceAll(',', '\\,')
    const found: [string, object][] = [
      ['a value', rule('first_name', '=', text)],
      ['an item', rule('first_name', 'in', [text])],
      ['an item in text', rule('first_name', 'in', text.includes('\\') ? [text] : escaped)],
      ['both ends', rule('first_name', 'between', [text, text])],
      ['a custom value', rule('custom:text', '=', text)],
      ['a custom key', rule(`custom:${text} key`, '=', 'held')],
      ['a tag', rule('tag', 'has', text)],
      ['tags', rule('tag', 'in', [text])],
      ['an event', rule(`event:${text}`, 'performed', '')],
      [
        'a property and its value',
        rule(`event:${text}`, 'performed', { where: [{ property: text, operator: '=', value: text }] }),
      ],
    ]
    for (const [place, one] of found) {
      const { count, sample } = await preview(workspaceId, define(one))
      assert.deepEqual([count, sample[0]?.firstName], [1, text], `${place}: ${JSON.stringify(text)}`)
    }
    for (const operator of ['contains', 'beginsWith', 'endsWith']) {
      const { sample, count } = await preview(
        workspaceId,
        define(rule('first_name', operator, text), rule('custom:text', '=', text)),
      )
      assert.deepEqual([count, sample[0]?.firstName], [1, text], `${operator} ${JSON.stringify(text)}`)
    }
  }
  const { rows } = await inTransaction(pool, workspaceId, (tx) => tx.query('select from contacts'))
  assert.equal(rows.length, visible.length)
})

test('hostile text where only known words belong is refused', async () => {
  for (const text of HOSTILE.filter((one) => one !== 'null')) {
    for (const one of [
      rule(text, '=', 'x'),
      rule('email', text, 'x'),
      rule('segment', 'has', text),
      rule('created_at', 'after', text),
      rule('event:x', 'performed', text),
      rule('event:x', 'performed', { atLeast: text }),
      rule('event:x', 'performed', { from: text }),
      rule('event:x', 'performed', { where: [{ property: 'a', operator: text, value: '' }] }),
    ]) {
      // Blank days, as a line break is, are ever.
      if (one.field === 'event:x' && one.value === text && (text.trim() === '' || text === '{}')) continue
      const answer: Problem = await preview(workspaceId, define(one)).then(
        () => assert.fail(`${JSON.stringify(one)} was taken`),
        (error) => error,
      )
      assert.equal(answer.statusCode, 422, JSON.stringify(one))
    }
  }
})

test('hostile names are names, to be searched for like others', async () => {
  const deps = { sql: pool }
  for (const text of visible.filter((one) => !/\p{Cc}/u.test(one))) {
    const name = `named ${text}`
    await createSegment(deps, caller, { name, definition: '' })
    const { items, total } = await readSegments(pool, workspaceId, { search: name, page: 1, pageSize: 1_000 })
    assert.equal(items.length, total)
    assert.ok(
      items.some((item) => item.name === name),
      name,
    )
  }
})
