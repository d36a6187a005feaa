import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnFormat, detectFormats, readAs } from './column-format.ts'

const NOW = new Date('2026-11-22T00:00:00Z')
const read = (format: ColumnFormat, text: string) => {
  const value = readAs(format, text, NOW)
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : value
}

test('dates are read in the order of their column, in the forms that spreadsheets write', () => {
  for (const [format, text, date] of [
    ['date_dmy', '24.12.1980', '1980-12-24'],
    ['date_dmy', '4. 1. 1980', '1980-01-04'],
    ['date_dmy', '24/12/80', '1980-12-24'],
    ['date_dmy', '24.12.26', '2026-12-24'],
    ['date_dmy', '24.12.27', '1927-12-24'],
    ['date_dmy', '24.12.', '--12-24'],
    ['date_dmy', '29/2', '--02-29'],
    ['date_dmy', '24.12.1980 00:00', '1980-12-24'],
    ['date_dmy', '02.05.2023 09:15', '2023-05-02T09:15:00Z'],
    ['date_mdy', '12/24/1980', '1980-12-24'],
    ['date_mdy', '12/24', '--12-24'],
    ['date_mdy', '5/2/2023 9:15 PM', '2023-05-02T21:15:00Z'],
    ['date_mdy', '5/2/2023 12:05:01 am', '2023-05-02T00:05:01Z'],
    ['date_mdy', '1980-12-24', '1980-12-24'],
    ['date_ymd', '1980/12/24', '1980-12-24'],
    ['date_ymd', '2023-05-02 09:15:42', '2023-05-02T09:15:42Z'],
    ['date_ymd', '2023-05-02T09:15:42+02:00', '2023-05-02T07:15:42Z'],
  ] as const) {
    assert.equal(read(format, text), date, `${format} ${text}`)
  }
})

test('days that do not exist, and other text, are no dates', () => {
  const none = [
    '31.02.1980',
    '29.2.1981',
    '24.13.1980',
    '0.1.1980',
    '24.12.980',
    '1.2.3.4',
    '24.12.1980 25:00',
    'soon',
    '',
  ]
  for (const text of [...none, '..', '24..1980', '24.12. 9:15', '12:30', '1'.repeat(100)]) {
    assert.equal(read('date_dmy', text), undefined, text)
  }
})

test('numbers keep their digits, whatever stands between them', () => {
  for (const [format, text, number] of [
    ['number_comma', '1.234,50', 1234.5],
    ['number_comma', '-1.234.567', -1234567],
    ['number_comma', '0,5', 0.5],
    ['number_comma', '1 234,5', 1234.5],
    ['number_comma', "1'234,5", 1234.5],
    ['number_point', '1,234.50', 1234.5],
    ['number_point', '12.5', 12.5],
    ['number_comma', '12.5', undefined],
    ['number_comma', '1,2,3', undefined],
    ['number_comma', '007', undefined],
    ['number_comma', '1.23,5', undefined],
    ['number_comma', '1234.567,5', undefined],
    ['number_comma', ',5', undefined],
    ['number_comma', '1,', undefined],
    ['number_comma', '12 €', undefined],
  ] as const) {
    assert.equal(read(format, text), number, `${format} ${text}`)
  }
})

test('yes and no are read in ten languages, and as spreadsheets write them', () => {
  for (const yes of ['ja', 'Ja', 'yes', 'Sí', 'oui', 'tak', 'sim', 'WAHR', '1', 'true'])
    assert.equal(read('boolean', yes), true)
  for (const no of ['nein', 'No', 'não', 'nej', 'NIE', 'FALSCH', '0', 'fałsz']) assert.equal(read('boolean', no), false)
  assert.equal(read('boolean', 'maybe'), undefined)
})

const detected = (columns: Record<string, string[]>, delimiter = ',') => {
  const seen = Object.entries(columns).map(([name, values]) => ({ name, values }))
  return detectFormats(seen, delimiter).map(({ format, isSure }) => (isSure ? format : `${format}?`))
}

test('the format of a column is found by its values', () => {
  const cases: [values: string[], format: string][] = [
    [['24.12.1980', '01.02.1990'], 'date_dmy'],
    [['12/24/1980', '01/02/1990'], 'date_mdy'],
    [['24/12/1980', '01/02/1990'], 'date_dmy'],
    [['1980-12-24'], 'date_ymd'],
    [['03/04/1990'], 'date_mdy?'],
    [['03.04.1990'], 'date_dmy'],
    [['24.12.1980', 'unknown'], 'text'],
    [['1.234,50', '12'], 'number_comma'],
    [['19,90'], 'number_comma'],
    [['1,234.50'], 'number_point'],
    [['1.234'], 'text'],
    [['12.5'], 'number_point'],
    [['5', '7', '70'], 'number_point'],
    [['0', '-3', '1234567'], 'number_point'],
    [['1.234', '12.5'], 'number_point'],
    [['5', '1.234'], 'text'],
    [['0.125'], 'number_point'],
    [['30123456', '+4930123456'], 'text'],
    [['4930123456'], 'text'],
    [['1234567890123456'], 'text'],
    [['01234', '10115'], 'text'],
    [['12/24'], 'text'],
    [['192.168.1.1'], 'text'],
    [['ja', 'nein'], 'boolean'],
    [['1', '0'], 'number_point'],
    [[], 'text'],
  ]
  for (const [values, format] of cases) assert.deepEqual(detected({ a: values }), [format], values.join(' | '))
})

test('a column that is named for codes is text, though its values could be numbers', () => {
  const codes = [
    'ZIP',
    'PLZ',
    'Postleitzahl',
    'shipping_zip_code',
    'Customer ID',
    'customerId',
    'Kundennummer',
    'Kundennr',
    'accountid',
    'Order number',
  ]
  for (const name of [...codes, 'Mobile', 'Phone 2', 'Telefonnummer', 'EAN'])
    assert.deepEqual(detected({ [name]: ['10115', '80331'] }), ['text'], name)
  for (const name of ['Orders', 'Number of orders', 'Seats', 'Umsatz', 'Paid', 'Loyalty points'])
    assert.deepEqual(detected({ [name]: ['10115', '80331'] }), ['number_point'], name)
})

test('one value of ten may be written otherwise, and does not decide for the others', () => {
  const nine = (value: string) => Array.from({ length: 9 }, () => value)
  const cases: [values: string[], format: string][] = [
    [[...nine('24.12.1980'), '31.02.1999'], 'date_dmy'],
    [[...nine('24.12.1980'), 'unknown'], 'date_dmy'],
    [[...nine('03/04/1990'), '24/12/1980'], 'date_dmy'],
    [[...nine('1.234,50'), 'abc'], 'number_comma'],
    [[...nine('1,234.50'), 'n/a'], 'number_point'],
    [[...nine('12'), 'n/a'], 'number_point'],
    [[...nine('10115'), '01067'], 'text'],
    [[...nine('1.234,50'), 'abc', 'def'], 'text'],
    [[...nine('ja'), 'vielleicht'], 'text'],
    [['24.12.1980', '31.02.1999'], 'text'],
  ]
  for (const [values, format] of cases) assert.deepEqual(detected({ a: values }), [format], values.join(' | '))
})

test('a birthday may leave out its year, and other dates of the file or its semicolons say how it is read', () => {
  assert.deepEqual(detected({ Birthday: ['12/24', '03/04'] }), ['date_mdy'])
  assert.deepEqual(detected({ Geburtstag: ['24.12.', '03.04.'] }), ['date_dmy'])
  assert.deepEqual(detected({ Birthday: ['03/04'] }), ['date_mdy?'])
  assert.deepEqual(detected({ Geburtstag: ['03/04'] }, ';'), ['date_dmy?'])
  assert.deepEqual(detected({ since: ['24/12/2020'], Birthday: ['03/04'] }), ['date_dmy', 'date_dmy'])
})
