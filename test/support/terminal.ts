import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from './eventually.ts'

const RUN_LIMIT_MS = 240_000
const SHOWN_CHARS = 4_000
const END = 'end-of-the-commands'

export type Terminal = {
  /** Resolves with what the commands printed, errors too, once they have ended. Fails with it where one of them failed. */
  run(commands: string): Promise<string>
  /** Commands that go on beside it, until it is closed; what they have printed so far. */
  beside(commands: string): () => string
  close(): Promise<void>
}

/** A shell into which commands are pasted block by block: it keeps variables, functions and aliases, and ends at the first fault. */
export function openTerminal(options: { cwd: string; env: Record<string, string | undefined> }): Terminal {
  const shells: ChildProcess[] = []
  const start = () => {
    // In a process group of its own, with whatever it starts.
    const shell = spawn('bash', ['-s'], { ...options, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    shells.push(shell)
    let printed = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    shell.stdin.on('error', () => undefined)
    return { shell, printed: () => printed }
  }
  const main = start()
  main.shell.stdin.write('shopt -s expand_aliases; set -e; exec 2>&1\n')
  let read = 0
  return {
    async run(commands) {
      main.shell.stdin.write(`${commands}\necho ${END}\n`)
      const said = () => main.printed().slice(read)
      const hasEnded = () => main.shell.exitCode !== null || main.shell.signalCode !== null
      const isOver = () => said().endsWith(`${END}\n`) || hasEnded()
      await eventually('the end of the commands', isOver, RUN_LIMIT_MS).catch((error) => {
        throw new Error(`${commands}\n${said().slice(-SHOWN_CHARS)}`, { cause: error })
      })
      const text = said()
      if (!text.endsWith(`${END}\n`)) throw new Error(`${commands}\n${text}`)
      read += text.length
      return text.slice(0, -END.length - 1)
    },
    beside(commands) {
      const { shell, printed } = start()
      shell.stdin.end(`exec 2>&1\n${commands}\n`)
      return printed
    },
    async close() {
      for (const shell of shells.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
        const gone = once(shell, 'close')
        process.kill(-shell.pid!, 'SIGTERM')
        await gone
      }
    },
  }
}
