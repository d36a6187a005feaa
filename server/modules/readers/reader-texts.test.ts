import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READER_LANGUAGES } from '../../catalogue/reader-languages.ts'
import { readableOn } from './readable-on.ts'
import { fillHtml, fillText, languageAsked, readerTexts } from './reader-texts.ts'

const valuesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

test('each language says everything, with the same values in it', () => {
  const english = Object.entries(readerTexts('en'))
  for (const language of READER_LANGUAGES) {
    const texts: Record<string, string> = readerTexts(language)
    for (const [key, text] of english) {
      assert.ok(texts[key]!.trim() !== '', `${language} ${key}`)
      assert.deepEqual(valuesIn(texts[key]!), valuesIn(text), `${language} ${key}`)
      if (language !== 'en' && text.length > 20) assert.notEqual(texts[key], text, `${language} ${key}`)
    }
  }
})

test('values are filled in as text and as markup, and what they say is never taken for either', () => {
  const name = '<b>{days}</b>'
  assert.equal(fillText('{name}, {days}', { name, days: '7' }), '<b>{days}</b>, 7')
  assert.equal(
    fillHtml('From {name} & co', { name }).markup,
    'From <strong>&lt;b&gt;{days}&lt;/b&gt;</strong> &amp; co',
  )
})

test('a browser is answered in the language it asks for first, if we write in that', () => {
  assert.deepEqual(['de-AT,de;q=0.9', 'PL', 'ja', '', undefined].map(languageAsked), ['de', 'pl', 'en', 'en', 'en'])
})

test('text on a colour is whichever of black and white can be read on it', () => {
  assert.deepEqual(['#ffffff', '#ffee00', '#2257d6', '#000000'].map(readableOn), [
    '#000000',
    '#000000',
    '#ffffff',
    '#ffffff',
  ])
})
