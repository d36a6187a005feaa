import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shapeOf } from './csv-shape.ts'
import { compileMapping, type DeclaredConsent, type MappedRow } from './map-row.ts'
import { type Mapping, suggestMapping } from './mapping.ts'

type Said = MappedRow | { fault: string }

function row(cells: Record<string, string>, mapping: Mapping, consent: DeclaredConsent = 'unconfirmed'): Said {
  const columns = Object.keys(cells).map((name) => ({ name }))
  return compileMapping(columns, mapping, { consent })(Object.values(cells))
}
const said = (cells: Record<string, string>, mapping: Mapping, consent?: DeclaredConsent) => {
  const mapped = row({ e: 'a@example.com', ...cells }, { e: 'email', ...mapping }, consent)
  return 'fault' in mapped ? assert.fail(mapped.fault) : mapped
}
const fault = (cells: Record<string, string>, mapping: Mapping) => {
  const mapped = row({ e: 'a@example.com', ...cells }, { e: 'email', ...mapping })
  return 'fault' in mapped ? mapped.fault : assert.fail('it fits')
}

test('a full name is cut at its first space, and given parts go before it', () => {
  assert.deepEqual(said({ n: ' Ada  King Lovelace ' }, { n: 'fullName' }).item.fields, {
    email: 'a@example.com',
    firstName: 'Ada',
    lastName: 'King Lovelace',
  })
  assert.equal(said({ f: 'Augusta', n: 'Ada' }, { f: 'firstName', n: 'fullName' }).item.fields.firstName, 'Augusta')
})

test('tags are told apart however they are written', () => {
  const cases: Record<string, string[]> = {
    'a,b': ['a', 'b'],
    ' a ; b, c;': ['a', 'b, c'],
    '"a","b, c"': ['a', 'b, c'],
    '"say ""hi""",x': ['say "hi"', 'x'],
    ',': [],
  }
  for (const [text, tags] of Object.entries(cases)) assert.deepEqual(said({ t: text }, { t: 'tags' }).tags, tags, text)
  assert.match(fault({ t: 'x'.repeat(101) }, { t: 'tags' }), /^t: the tag must have at most 100/)
})

test('a value loses the quote that keeps it from being a formula, and no other', () => {
  const custom = (value: string) => said({ c: value }, { c: 'custom:c' }).item.customFields.c
  for (const value of ['=1+1', '+44', '-5', '@ada']) assert.equal(custom(`'${value}`), value)
  for (const value of ["'tis", "it's", "''=x"]) assert.equal(custom(value), value)
})

test('consent follows the status of the row, else its times, else what was declared', () => {
  const s = { s: 'consent:status' }
  const cases: [cells: Record<string, string>, declared: DeclaredConsent, agreed: boolean, no: MappedRow['no']][] = [
    [{ s: 'subscribed' }, 'unconfirmed', true, null],
    [{ s: 'Opted In' }, 'unconfirmed', true, null],
    [{ s: 'ja' }, 'unconfirmed', true, null],
    [{ s: 'unconfirmed' }, 'confirmed', false, null],
    [{ s: 'Unsubscribed' }, 'confirmed', false, 'unsubscribed'],
    [{ s: 'abgemeldet' }, 'confirmed', false, 'unsubscribed'],
    [{ s: 'nein' }, 'confirmed', false, 'no_newsletters'],
    [{ s: '0' }, 'confirmed', false, 'no_newsletters'],
    [{ s: 'gesperrt' }, 'confirmed', false, 'suppressed'],
    [{ s: 'Cleaned' }, 'confirmed', false, 'suppressed'],
    [{ s: '' }, 'confirmed', true, null],
    [{ s: '' }, 'unconfirmed', false, null],
    [{ s: '', c: '2024-02-29 10:00:00' }, 'unconfirmed', true, null],
    [{ s: '', c: '2024-02-29 10:00:00', u: 'yes' }, 'confirmed', false, 'unsubscribed'],
    [{ u: 'yes', s: 'subscribed' }, 'confirmed', false, 'unsubscribed'],
    [{ u: 'yes', s: 'nein' }, 'confirmed', false, 'unsubscribed'],
    [{ u: 'yes', s: 'bounced' }, 'confirmed', false, 'suppressed'],
  ]
  const mapping: Mapping = { ...s, c: 'consent:confirmTime', u: 'consent:unsubscribeTime' }
  for (const [cells, declared, agreed, no] of cases) {
    const mapped = said(cells, mapping, declared)
    assert.deepEqual([mapped.consent !== null, mapped.no], [agreed, no], JSON.stringify(cells))
  }
  assert.match(fault({ s: 'perhaps' }, s), /^s: is no status/)
  const noEmail = row({ p: '+1', s: 'cleaned' }, { p: 'phone', ...s })
  assert.match('fault' in noEmail ? noEmail.fault : '', /opted out and has no email/)
  const noLetters = row({ p: '+1', s: 'nein' }, { p: 'phone', ...s }, 'confirmed')
  assert.deepEqual('fault' in noLetters ? noLetters.fault : [noLetters.no, noLetters.consent], ['no_newsletters', null])
})

test('times without an offset are UTC, and what is no time or address is named', () => {
  const time = { t: 'consent:confirmTime' }
  const at = (value: string) => said({ t: value }, time).consent?.confirmedAt
  assert.equal(at('2023-05-02 09:15:42'), '2023-05-02T09:15:42Z')
  assert.equal(at('2023-05-02T09:15:42+02:00'), '2023-05-02T07:15:42Z')
  assert.equal(at('2023-05-02'), '2023-05-02T00:00:00Z')
  for (const value of ['2023-02-30', '02/05/2023', 'yesterday'])
    assert.equal(fault({ t: value }, time), 't: is no time')
  for (const value of ['300.1.1.1', 'fe80::1%eth0', 'host']) {
    assert.equal(fault({ i: value }, { i: 'consent:optInIp' }), 'i: is no IP address')
  }
})

test('what a column cannot hold is a fault of its row', () => {
  assert.equal(fault({ c: 'a\0b' }, { c: 'custom:c' }), 'c: must not contain U+0000')
  assert.match(fault({ c: 'a\ufffdb' }, { c: 'custom:c' }), /not of the file’s encoding/)
  for (const value of ['[1]', '7', '{', '12345678901234567890']) {
    assert.equal(fault({ c: value }, { c: 'customFields' }), 'c: is no JSON object')
  }
  assert.match(fault({ f: 'x'.repeat(201) }, { f: 'firstName' }), /^firstName must have at most 200/)
})

test('a column that is called as a property of every object is one like others', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const mapped = compileMapping(
      [{ name: 'e' }, { name }],
      { e: 'email' },
      { consent: 'unconfirmed' },
    )(['a@example.com', 'x'])
    assert.ok('item' in mapped)
    assert.deepEqual(mapped.item, { fields: { email: 'a@example.com' }, customFields: {} })
  }
})

test('a file’s delimiter is the one that cuts its lines alike', () => {
  const delimiterOf = (text: string) => {
    const shape = shapeOf(text, true)
    return 'fault' in shape ? shape.fault : shape.delimiter
  }
  assert.equal(delimiterOf('a,b,c\n1;2,3,4\n'), ',')
  assert.equal(delimiterOf('a;b\n1,5;2,5\n3,1;4,2\n'), ';')
  assert.equal(delimiterOf('a\tb\n"x,y";z\t2\n'), '\t')
  assert.equal(delimiterOf('email\nada@example.com\n'), ',')
})

test('what is no text is told what to do instead', () => {
  const faultOf = (text: string) => {
    const shape = shapeOf(text, true)
    return 'fault' in shape ? shape.fault : assert.fail('it is taken')
  }
  assert.match(faultOf('\x1f\u2039\b\0,a\n1,2\n'), /Content-Encoding: gzip/)
  assert.match(faultOf('PK\x03\x04,a\n1,2\n'), /workbook/)
  assert.match(faultOf('email,name\rada@example.com,Ada\r'), /old Macs/)
  assert.match(faultOf('email,na\0me\nada@example.com,Ada\n'), /control characters/)
  assert.ok('columns' in shapeOf('"E-mail\r\naddress",First\tname\r\nada@example.com,Ada\r\n', true))
})

test('a name or a sample is never cut inside a character', () => {
  const long = `${'x'.repeat(59)}😀${'x'.repeat(39)}😀${'x'.repeat(98)}😀`
  const shape = shapeOf(`email,${long}\nada@example.com,${long.slice(1)}\n`, true)
  assert.ok('columns' in shape)
  assert.ok(JSON.stringify([shape.columns, suggestMapping(shape.columns)]).isWellFormed())
  assert.deepEqual(JSON.stringify([shape.columns, suggestMapping(shape.columns)]).match(/\\ud[89a-f]/), null)
})

test('a phone number names a contact only where nothing else does', () => {
  const suggested = (...names: string[]) => suggestMapping(names.map((name) => ({ name })))
  assert.deepEqual(suggested('Email', 'Phone'), { Email: 'email', Phone: 'custom:phone' })
  assert.deepEqual(suggested('Phone', 'Name'), { Phone: 'phone', Name: 'fullName' })
  assert.deepEqual(suggested('subjectId', 'email', 'phone', 'custom:Plan A'), {
    subjectId: 'subjectId',
    email: 'email',
    phone: 'phone',
    'custom:Plan A': 'custom:Plan A',
  })
  assert.deepEqual(suggested('E-Mail', 'Email Address', '???', 'constructor'), {
    'E-Mail': 'email',
    'Email Address': 'ignore',
    '???': 'ignore',
    constructor: 'custom:constructor',
  })
})

test('topics are found by their names however they are written, and a name that none has fails its row', () => {
  const topics = new Map([
    ['news', { id: '3', name: 'News' }],
    ['offers, weekly', { id: '4', name: 'Offers, weekly' }],
  ])
  const columns = [{ name: 'email' }, { name: 'Lists' }]
  const map = compileMapping(columns, { email: 'email', Lists: 'topics' }, { consent: 'confirmed', topics })
  const read = (value: string) => {
    const mapped = map(['a@example.com', value])
    return 'fault' in mapped ? mapped.fault : mapped.topicIds
  }
  assert.deepEqual(read('NEWS,"Offers, weekly"'), ['3', '4'])
  assert.deepEqual(read(''), [])
  assert.equal(read('News; Gossip'), 'Lists: no topic is called “Gossip”')
  const suggested = (...samples: string[]) =>
    suggestMapping([{ name: 'Email' }, { name: 'Lists', samples }], topics).Lists
  assert.equal(suggested('News', '', 'news,"Offers, Weekly"'), 'topics')
  for (const samples of [[], ['', ''], ['News', 'Gossip']]) assert.equal(suggested(...samples), 'custom:lists')
})

test('a column that says by yes and no who opted out keeps those, and no others, from mail', () => {
  const read = (cells: Record<string, string>) => {
    const { consent, no } = said(
      cells,
      { u: 'consent:unsubscribeTime', v: 'consent:unsubscribeTime', b: 'consent:cleanTime' },
      'confirmed',
    )
    return [consent !== null, no]
  }
  for (const one of ['', 'No', 'false', '0', 'nein', '[]', '-', '--', '—', '""', 'null', 'never'])
    assert.deepEqual(read({ u: one, b: one }), [true, null], one)
  for (const one of ['Yes', 'true', '1', '2026-01-02 03:04:05', 'x', '✓', '✔️', '☑', '*', '+', '●']) {
    assert.deepEqual(read({ u: one }), [false, 'unsubscribed'], one)
    assert.deepEqual(read({ u: 'false', v: one }), [false, 'unsubscribed'], one)
  }
  for (const one of ['UNKNOWN_USER', '["HARD_BOUNCE"]', 'да', '退信'])
    assert.deepEqual(read({ b: one }), [false, 'suppressed'], one)
})

test('what files of Klaviyo, Brevo, HubSpot, Customer.io and Shopify say of consent is heeded', () => {
  const targets = (name: string, samples: string[]) => suggestMapping([{ name: 'Email' }, { name, samples }])[name]
  assert.equal(targets('Email Marketing Consent', ['SUBSCRIBED', 'UNSUBSCRIBED', 'NEVER_SUBSCRIBED']), 'consent:status')
  assert.equal(targets('Email Marketing Consent Timestamp', ['2026-01-10 13:51:16']), 'consent:optInTime')
  assert.equal(targets('Accepts Email Marketing', ['yes', 'no']), 'consent:status')
  assert.equal(targets('Unsubscribed from all email', ['No', 'Yes']), 'consent:unsubscribeTime')
  assert.equal(targets('unsubscribed', ['false', 'true']), 'consent:unsubscribeTime')
  assert.equal(targets('EMAIL_BLACKLISTED', ['0', '1']), 'consent:unsubscribeTime')
  assert.equal(targets('Unsubscribed at', ['03.04.2025 10:00']), 'consent:unsubscribeTime')
  assert.equal(targets('Email hard bounce reason', ['UNKNOWN_USER']), 'consent:cleanTime')
  assert.equal(targets('Unsubscribed', ['the spring fair']), 'custom:unsubscribed')
  const s = { s: 'consent:status' }
  for (const word of ['HARD_BOUNCE', 'SPAM_COMPLAINT', 'USER_SUPPRESSED']) {
    assert.equal(said({ s: word }, s, 'confirmed').no, 'suppressed', word)
  }
  assert.equal(said({ s: 'UNSUBSCRIBE' }, s, 'confirmed').no, 'unsubscribed')
  assert.deepEqual(said({ s: 'NEVER_SUBSCRIBED' }, s, 'confirmed').consent, null)
})

test('a first line that tells spreadsheets the delimiter is no row', () => {
  for (const told of ['sep=;\r\n', '"sep=;"\n']) {
    const shape = shapeOf(`${told}E-Mail;Name, first\r\nada@example.com;Ada\r\n`, true)
    assert.ok('columns' in shape)
    assert.deepEqual(
      [shape.delimiter, shape.headerLines, shape.columns.map(({ name, samples }) => [name, ...samples])],
      [
        ';',
        2,
        [
          ['E-Mail', 'ada@example.com'],
          ['Name, first', 'Ada'],
        ],
      ],
    )
    assert.equal(shape.headerChars, `${told}E-Mail;Name, first\r\n`.length)
  }
  const other = shapeOf('sep=^\nemail,name\nada@example.com,Ada\n', true)
  assert.ok('columns' in other && other.delimiter === ',')
})
