import type { Check } from './preflight-schemas.ts'

/** Phrases that content filters have given points for since there are any. */
const PHRASES = [
  '100% free',
  'act now',
  'as seen on',
  'buy direct',
  'cash bonus',
  'cheap meds',
  'click here',
  'congratulations, you',
  'credit card offers',
  'dear friend',
  'double your',
  'earn extra cash',
  'eliminate debt',
  'extra income',
  'fast cash',
  'financial freedom',
  'free access',
  'free gift',
  'free money',
  'get paid',
  'guaranteed income',
  'limited time only',
  'lose weight',
  'lowest price',
  'make money',
  'miracle',
  'money back guarantee',
  'no credit check',
  'no obligation',
  'no strings attached',
  'not spam',
  'once in a lifetime',
  'order now',
  'risk free',
  'risk-free',
  'this is not spam',
  'urgent response',
  'viagra',
  'while supplies last',
  'winner',
  'work from home',
  'you have been selected',
  'you are a winner',
] as const

const LETTERS = /\p{L}/gu
const CAPITALS = /\p{Lu}/gu
/** Shorter subjects may be one name in capitals. */
const SHOUTED_LETTERS_MIN = 12
const SHOUTED_SHARE = 0.7

/** Phrases that a content filter may object to: a hint, for filters differ. */
export function spamPhrasesIn({ subject, text }: { subject: string; text: string }): Check[] {
  return [...about('subject', subject), ...about('text', text), ...shouting(subject)]
}

function about(field: 'subject' | 'text', content: string): Check[] {
  const words = ` ${content.toLowerCase().replaceAll(/\s+/g, ' ')} `
  const found = PHRASES.filter((phrase) => hasPhrase(words, phrase))
  if (found.length === 0) return []
  const named = found.map((phrase) => `“${phrase}”`).join(', ')
  return [warning(field === 'text' ? 'body' : field, `Filters look for ${named}.`)]
}

/** As whole words: nobody is to be warned of “swinners”. */
function hasPhrase(words: string, phrase: string): boolean {
  for (let at = words.indexOf(phrase); at !== -1; at = words.indexOf(phrase, at + 1)) {
    if (isApart(words[at - 1]) && isApart(words[at + phrase.length])) return true
  }
  return false
}

const isApart = (character: string | undefined) => character === undefined || !/[\p{L}\p{N}]/u.test(character)

function shouting(subject: string): Check[] {
  const letters = subject.match(LETTERS)?.length ?? 0
  const capitals = subject.match(CAPITALS)?.length ?? 0
  if (letters >= SHOUTED_LETTERS_MIN && capitals / letters >= SHOUTED_SHARE) {
    return [warning('subject', 'The subject is written in capitals.')]
  }
  return /[!?$]{3}/.test(subject) ? [warning('subject', 'The subject has three marks in a row.')] : []
}

function warning(field: string, detail: string): Check {
  return { code: 'spam_words', severity: 'warning', field, line: null, detail }
}
