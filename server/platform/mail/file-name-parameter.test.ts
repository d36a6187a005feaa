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
    const sections = fileNameTokens(fileName).map((token) =>
      token.replace(/^filename\*\d*\*?=(?:UTF-8'')?/, '').replace(/;$/, ''),
    )
    assert.ok(sections.length > 1)
    assert.equal(sections.map((section) => decodeURIComponent(section)).join(''), fileName.toWellFormed())
  }
})
