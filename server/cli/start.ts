import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { credentialsShown } from '../keep-credentials.ts'
import { type Running, start } from '../main.ts'
import { createLogger, formatOf, type LogFormat, type Logger, type LogLevel } from '../platform/telemetry/logger.ts'
import { Secret } from '../platform/telemetry/secret.ts'
import { banner, bannerFields, NAME } from './banner.ts'

const STOP_LIMIT_MS = 30_000
const SAME_SIGNAL_MS = 1_000
const END_AFTER_MS = 500

export function startCommand(): Command {
  return new Command('start')
    .description('run the service until it is stopped (Ctrl-C or SIGTERM)')
    .addHelpText('after', '\nSettings come from the environment; docs/guides/settings.md lists them.')
    .action(async () => {
      const config = readConfig()
      const log = loggerOf(config, { level: config.logLevel, format: formatOf(config.logFormat) })
      const stopping = new AbortController()
      const stopped = untilAskedToStop(log, stopping)
      const running = await startUnlessStopped(config, log, stopping.signal)
      if (running) {
        await welcome(config, running)
        await stopped
        await stopInTime(running, config, log)
      }
      endSoon()
    })
}

/**
 * Says that the service is up. Between lines of JSON no password and no token stands: there it says where they are, and those
 * that no start has shown wait for one that does.
 */
async function welcome(config: Config, running: Running): Promise<void> {
  const isEmbedded = config.databaseUrl === undefined
  if (formatOf(config.logFormat) === 'json') {
    if (running.credentials && isEmbedded) await credentialsShown(config.dataDir, { stay: true })
    // Said at every level, as the text is.
    loggerOf(config, { level: 'info', format: 'json' }).info(bannerFields(config, running), `${NAME} is running`)
    return
  }
  const file = running.credentials && (await credentialsShown(config.dataDir, { stay: isEmbedded }))
  const credentials = running.credentials && { ...running.credentials, file }
  process.stdout.write(banner(config, { ...running, credentials }))
}

function loggerOf(config: Config, form: { level: LogLevel; format: LogFormat }): Logger {
  const log = createLogger({ ...form, secrets: secretsOf(config) })
  return config.processes === 1 ? log : log.child({ process: 'main' })
}

export function secretsOf(config: Config): Secret[] {
  const { databaseUrl, encryptionKey, bootstrap, systemSmtp } = config
  return [databaseUrl, encryptionKey, bootstrap.password, bootstrap.token, systemSmtp?.login?.password].filter(
    (secret) => secret instanceof Secret,
  )
}

/**
 * Resolves at the first SIGINT or SIGTERM; another one after a second ends the process at once. Sooner it is the same
 * one: Ctrl-C reaches this process from the terminal and once more through npm.
 */
function untilAskedToStop(log: Logger, stopping: AbortController): Promise<void> {
  let askedMs = Number.POSITIVE_INFINITY
  return new Promise((resolve) => {
    const ask = (signal: NodeJS.Signals) => {
      if (stopping.signal.aborted) {
        if (performance.now() - askedMs > SAME_SIGNAL_MS) process.exit(1)
        return
      }
      askedMs = performance.now()
      log.info({ signal }, 'stopping: running work is finished first; once more ends it at once')
      stopping.abort()
      resolve()
    }
    process.on('SIGINT', ask)
    process.on('SIGTERM', ask)
  })
}

/** Undefined when it was asked to stop before it was up: everything started until then is stopped again. */
async function startUnlessStopped(config: Config, log: Logger, signal: AbortSignal): Promise<Running | undefined> {
  // A step that does not end, as a lookup that nobody answers, keeps no process.
  const limit = () => exitInTime(config, log).unref()
  signal.addEventListener('abort', limit, { once: true })
  try {
    return await start(config, log, signal).finally(() => signal.removeEventListener('abort', limit))
  } catch (error) {
    if (!signal.aborted) throw error
    const isOfStop = (error as Error).name === 'AbortError'
    log.info(isOfStop ? {} : { err: error }, 'stopped before it was up')
    return undefined
  }
}

/** Ends the process within the limit, whatever still runs in it by then. */
export function exitInTime({ drainSeconds }: Pick<Config, 'drainSeconds'>, log: Logger): NodeJS.Timeout {
  return setTimeout(
    () => {
      log.error('not stopped in time; what is left is taken up again at the next start')
      process.exit(1)
    },
    drainSeconds * 1_000 + STOP_LIMIT_MS,
  )
}

/** Ends a process that has stopped, whatever sockets and timers remain in it, once its last lines are out. */
export function endSoon(): void {
  setTimeout(() => process.exit(), END_AFTER_MS).unref()
}

/** Within the limit, and by itself where nothing runs any more. */
async function stopInTime(running: Running, config: Config, log: Logger): Promise<void> {
  const limit = exitInTime(config, log)
  const { unrecorded } = await running.stop()
  if (unrecorded > 0) {
    log.error({ results: unrecorded }, 'stopped, with results that the database did not take: left to the next process')
    process.exit(1)
  }
  limit.unref()
  log.info('stopped')
}
