import type net from 'node:net'
import { type ScriptedPeer, type SmtpScript, startScriptedSmtp } from './smtp-peer.ts'

/** The act of a mail server at each step; a function is asked each time, undefined is silence, `close` hangs up. */
export type Step = string | undefined | ((line: string, socket: net.Socket) => string | undefined)

export type Dialogue = {
  /** Keywords of EHLO, such as `PIPELINING` and `SIZE 1000`. */
  offers?: readonly string[]
  greeting?: Step
  auth?: Step
  mail?: Step
  rcpt?: Step
  data?: Step
  /** The answer to the final dot. */
  end?: Step
}

export type DialoguePeer = ScriptedPeer & {
  /** Contents whose final dot came, as sent: still stuffed, without the dot. */
  readonly contents: readonly string[]
  /** Commands, without the lines of contents. */
  readonly commands: readonly string[]
  readonly connections: number
}

/** A mail server that says at each step of a session what it is told to; it takes every message where it is told nothing. */
export async function startDialogue(dialogue: Dialogue = {}): Promise<DialoguePeer> {
  const contents: string[] = []
  const commands: string[] = []
  const reading = new Map<net.Socket, string[]>()
  let connections = 0
  const say = (step: Step, line: string, socket: net.Socket, usual: string): string | undefined => {
    const answer = typeof step === 'function' ? step(line, socket) : step
    return answer === 'usual' ? usual : answer
  }
  const script: SmtpScript = (line, socket) => {
    const content = reading.get(socket)
    if (content !== undefined) {
      if (line !== '.') {
        content.push(line)
        return undefined
      }
      reading.delete(socket)
      contents.push(content.map((one) => `${one}\r\n`).join(''))
      return say(step(dialogue, 'end'), line, socket, '250 2.0.0 Ok: queued as 4F1B2C3D4E')
    }
    if (line === '') {
      connections += 1
      return say(step(dialogue, 'greeting'), line, socket, '220 mx.there.example ESMTP')
    }
    commands.push(line)
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') {
      const lines = ['mx.there.example', ...(dialogue.offers ?? ['PIPELINING', '8BITMIME'])]
      return lines.map((text, index) => `250${index === lines.length - 1 ? ' ' : '-'}${text}`).join('\r\n')
    }
    if (verb === 'MAIL') return say(step(dialogue, 'mail'), line, socket, '250 2.1.0 Ok')
    if (verb === 'RCPT') return say(step(dialogue, 'rcpt'), line, socket, '250 2.1.5 Ok')
    if (verb === 'RSET') return '250 2.0.0 Ok'
    if (verb === 'AUTH') return say(step(dialogue, 'auth'), line, socket, '235 2.7.0 Ok')
    if (verb === 'QUIT') {
      socket.end('221 2.0.0 Bye\r\n')
      return undefined
    }
    if (verb !== 'DATA') return say(step(dialogue, 'auth'), line, socket, '500 5.5.1 what?')
    const answer = say(step(dialogue, 'data'), line, socket, '354 go on')
    if (answer?.startsWith('354')) reading.set(socket, [])
    return answer
  }
  const peer = await startScriptedSmtp(script)
  return {
    port: peer.port,
    lines: peer.lines,
    contents,
    commands,
    get connections() {
      return connections
    },
    close: peer.close,
  }
}

/** Absent is the usual; present and undefined is silence. */
function step(dialogue: Dialogue, name: Exclude<keyof Dialogue, 'offers'>): Step {
  return name in dialogue ? dialogue[name] : 'usual'
}
