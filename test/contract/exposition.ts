export type Series = { name: string; labels: Record<string, string>; value: number }
export type Exposition = { types: Map<string, string>; series: Series[] }

const TYPE = /^# TYPE (\S+) (\S+)$/
const SERIES = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/** Reads the Prometheus text format 0.0.4, strictly: a line that does not fit is an error. */
export function parseExposition(text: string): Exposition {
  const types = new Map<string, string>()
  const series: Series[] = []
  for (const line of text.split('\n')) {
    const [, family, type] = TYPE.exec(line) ?? []
    if (family && type) {
      if (types.has(family)) throw new Error(`family declared twice: ${family}`)
      types.set(family, type)
    } else if (line !== '' && !line.startsWith('# HELP ')) {
      series.push(parseSeries(line))
    }
  }
  return { types, series }
}

/** The one series of that name with at least these labels. */
export function seriesOf(
  { series }: Exposition,
  name: string,
  labels: Record<string, string> = {},
): Series | undefined {
  const found = series.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  )
  if (found.length > 1) throw new Error(`${found.length} series match ${name} ${JSON.stringify(labels)}`)
  return found[0]
}

function parseSeries(line: string): Series {
  const [, name, labelText = '', value] = SERIES.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`not a line of the text format: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  let end = 0
  for (let match = LABEL.exec(labelText); match; match = LABEL.exec(labelText)) {
    const [, key = '', quoted = ''] = match
    if (key in labels) throw new Error(`label ${key} twice: ${line}`)
    labels[key] = quoted.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\\\', '\\')
    end = LABEL.lastIndex
  }
  if (end !== labelText.length) throw new Error(`labels do not parse: ${line}`)
  return { name, labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
}
