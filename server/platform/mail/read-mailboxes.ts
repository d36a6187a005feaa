import { decodeWords } from 'postal-mime'
import type { Mailbox } from './compose-message.ts'
import { oneLine } from './header-text.ts'
import { wireAddress } from './mail-address.ts'

const NAME_CHARS_MAX = 200

/**
 * Mailboxes of a field that lists them (RFC 5322 section 3.4), groups opened. `isWhole`: each of them was understood, so
 * that nobody reads another address in it than we do.
 */
export function readMailboxes(value: string): { mailboxes: Mailbox[]; isWhole: boolean } {
  const mailboxes: Mailbox[] = []
  let isWhole = true
  let part = emptyPart()
  const flush = () => {
    const bare = part.angle ?? part.text
    if (part.angle === undefined && part.text.trim() === '') return
    const address = wireAddress(bare.trim())
    const name = part.angle === undefined ? '' : oneLine(decodeWords(part.text)).slice(0, NAME_CHARS_MAX)
    if (address === undefined || part.isBroken) isWhole = false
    else mailboxes.push({ address, name: name === '' ? null : name })
    part = emptyPart()
  }
  for (const { kind, text } of tokensOf(value)) {
    if (kind === 'broken') isWhole = false
    else if (kind === 'angle') {
      part.isBroken ||= part.angle !== undefined
      part.angle = text
    } else if (kind === 'text' && text === ',') flush()
    else if (kind === 'text' && text === ';') flush()
    else if (kind === 'text' && text === ':') part = emptyPart()
    else {
      part.isBroken ||= part.angle !== undefined && text.trim() !== ''
      part.text += text
    }
  }
  flush()
  return { mailboxes, isWhole }
}

const emptyPart = () => ({ text: '', angle: undefined as string | undefined, isBroken: false })

type Token = { kind: 'text' | 'quoted' | 'angle' | 'broken'; text: string }

/** Quoted strings without their quotes, what stands between angle brackets, single characters; comments are left out. */
function* tokensOf(value: string): Generator<Token> {
  let comments = 0
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!
    if (comments > 0) {
      if (char === '\\') at += 1
      else if (char === '(') comments += 1
      else if (char === ')') comments -= 1
    } else if (char === '(') comments += 1
    else if (char === '"') {
      let text = ''
      for (at += 1; at < value.length && value[at] !== '"'; at++) {
        if (value[at] === '\\') at += 1
        text += value[at] ?? ''
      }
      yield at < value.length ? { kind: 'quoted', text } : { kind: 'broken', text }
    } else if (char === '<') {
      const end = value.indexOf('>', at)
      if (end === -1) return yield { kind: 'broken', text: value.slice(at) }
      yield { kind: 'angle', text: value.slice(at + 1, end) }
      at = end
    } else if (char === '>' || char === ')') yield { kind: 'broken', text: char }
    else yield { kind: 'text', text: char }
  }
  if (comments > 0) yield { kind: 'broken', text: '' }
}
