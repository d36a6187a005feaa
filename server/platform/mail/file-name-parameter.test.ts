import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileNameTokens } from './file-name-parameter.ts'

test('a long name is cut between characters only, so that each section can be read by itself', () => {
  for (const fileName of [
    '請'.repeat(60),
    'ä'.repeat(99),
    '😀'.repeat(30),
    `a${'é😀'.repeat(25)}.pdf`,
    '\ud800x'.repeat(20),
  ]) {
    const [fallback, ...tokens] = fileNameTokens(fileName)
    assert.match(fallback!, /^filename="[\w .()-]{1,60}";$/)
    const sections = tokens.map((token) => token.replace(/^filename\*\d*\*?=(?:UTF-8'')?/, '').replace(/;$/, ''))
    assert.ok(sections.length > 1)
    assert.equal(sections.map((section) => decodeURIComponent(section)).join(''), fileName.toWellFormed())
  }
})

test('a program that knows no extended names gets a plain one, with its ending', () => {
  assert.deepEqual(fileNameTokens('Rechnung März.pdf'), [
    'filename="Rechnung Marz.pdf";',
    "filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf",
  ])
  assert.equal(fileNameTokens('請求書.xlsx')[0], 'filename="___.xlsx";')
  assert.equal(fileNameTokens('"quoted".txt')[0], 'filename="_quoted_.txt";')
})
