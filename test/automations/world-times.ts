import fc from 'fast-check'
import type { Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { GRID_MINUTES } from './random-definitions.ts'

/** The clocks of Berlin go back on 26 October 2025, those of Lord Howe and New York about then. */
export const BEGIN: Micros = Date.UTC(2025, 9, 24) * 1_000
export const GRID_MICROS = GRID_MINUTES * 60_000_000
export const HALF_HOURS = 48 * 4
export const UNTIL: Micros = BEGIN + 9 * 48 * GRID_MICROS
/** Two of them a day apart: the end of a rest is over, or far ahead, for whoever moves between these. */
export const ZONES = [
  ...[null, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo'],
  ...['Pacific/Kiritimati', 'Pacific/Pago_Pago'],
]

/** Moments at which something is done to automations or people, the same in all worlds of a batch: whatever is due is done before. */
export type Moments = readonly Micros[]
/** At some of these moments those who wait are asked, at others it is looked who is in segments, or whose date or schedule has come. */
export type Times = { moments: Moments; checks: Moments; looks: Moments; sweeps: Moments }
export const ACT_MOMENTS = 9

const PART = Math.floor(HALF_HOURS / ACT_MOMENTS)

/** One in each part of the time, without a bias to the first of it: where all are in the beginning nobody is inside yet. */
export const actMoments: fc.Arbitrary<Moments> = fc
  .noBias(fc.array(fc.nat({ max: PART - 1 }), { minLength: ACT_MOMENTS, maxLength: ACT_MOMENTS }))
  .map((places) => places.map((place, n) => BEGIN + (n * PART + place) * GRID_MICROS))
