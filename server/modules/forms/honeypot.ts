import { hash } from 'node:crypto'

/** Fields that programs like to fill in and no form of ours has. */
const NAMES = ['website', 'homepage', 'company_url', 'fax_number', 'street_address', 'second_email', 'job_title']

/** The field of a form that people do not see and programs fill in: always the same of one form, another of another. */
export function honeypotOf(formKey: string): string {
  return NAMES[hash('sha256', `honeypot ${formKey}`, 'buffer').readUInt32BE(0) % NAMES.length]!
}

export function isCaught(formKey: string, given: Readonly<Record<string, unknown>>): boolean {
  const value = given[honeypotOf(formKey)]
  return value !== undefined && value !== null && value !== ''
}
