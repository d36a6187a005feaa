import { escapeHtml } from '../../platform/html.ts'
import { contrastOf } from '../readers/readable-on.ts'
import { SAMPLE_SENDER, type Sample } from './samples.ts'

/** The workspace that samples are for. Null: nothing is known. */
export type SampleOwner = { name: string | null; color: string | null }

/** White words stand on the colour, and the colour on white and on tints of it that are nearly white. */
const ON_PAPER_MIN = 5.6
/** On the darkest and the lightest panel of the samples' dark design. */
const IN_THE_DARK_MIN = 8
const PAPER = '#ffffff'
const DARK = '#1e1e20'
const STEPS = 40

/** A sample under its owner's name and in its colour, as dark or light as its words need it. */
export function sampleOf(sample: Sample & { body: string }, { name, color }: SampleOwner) {
  const { accent, body, ...rest } = sample
  const named = name === null || LIQUID.test(name) ? body : body.replaceAll(SAMPLE_SENDER, () => escapeHtml(name))
  if (accent === null || color === null) return { ...rest, body: named, text: null }
  const coloured = named
    .replaceAll(accent.day, readable(color, PAPER, ON_PAPER_MIN))
    .replaceAll(accent.dark, readable(color, DARK, IN_THE_DARK_MIN))
  return { ...rest, body: coloured, text: null }
}

/** A name like this would be a tag of the template. */
const LIQUID = /\{[{%]/

/** The colour, mixed with black or white as little as it takes to be read on what is behind it. */
function readable(color: string, behind: string, least: number): string {
  const end = behind === PAPER ? 0 : 255
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  for (let step = 0; step < STEPS; step++) {
    const mixed = `#${channels.map((channel) => hex(channel + ((end - channel) * step) / STEPS)).join('')}`
    if (contrastOf(mixed, behind) >= least) return mixed
  }
  return behind === PAPER ? '#000000' : '#ffffff'
}

const hex = (channel: number) => Math.round(channel).toString(16).padStart(2, '0')
