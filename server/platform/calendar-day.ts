const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const DAY_OF_YEAR = /^--(\d{2})-(\d{2})$/
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a text is a day of the calendar, `1980-12-24`, or one of any year, `--12-24` (RFC 6350 section 4.3.1). */
export function isCalendarDay(text: string): boolean {
  const [, year = '', month, day] = DAY.exec(text) ?? ['', '', ...(DAY_OF_YEAR.exec(text)?.slice(1) ?? [])]
  return month !== undefined && day !== undefined && year !== '0000' && isDayOfCalendar({ year, month, day })
}

/** Whether there is such a day; in any year, where that is ''. */
export function isDayOfCalendar({ year, month, day }: { year: string; month: string; day: string }): boolean {
  const days = DAYS_OF_MONTH[Number(month) - 1]
  if (days === undefined || Number(day) < 1 || Number(day) > days) return false
  return Number(month) !== 2 || Number(day) !== 29 || year === '' || isLeap(Number(year))
}

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
