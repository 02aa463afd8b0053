/** What people write about medicine, school, bills and work, with what is guessed at its end: "title | when | rule | ?half". */
import type { Phrase } from './phrases.ts';

export const EVERYDAY: Readonly<Record<string, readonly Phrase[]>> = {
  'windows and lists in 24 hours': [
    ['spray every 4 hours between 7 and 23', 'spray | 2026-03-02 11:00 | daily @07:00,11:00,15:00,19:00,23:00'],
    [
      'check pump every 3 hours from 5 to 20',
      'check pump | 2026-03-02 11:00 | daily @05:00,08:00,11:00,14:00,17:00,20:00',
    ],
    ['drops at 6 and 22 every day', 'drops | 2026-03-02 22:00 | daily @06:00,22:00'],
    ['feed fish at 7 and 19', 'feed fish | 2026-03-02 19:00 | daily @07:00,19:00 x2'],
    [
      'wednesday every hour from 11 to 14 baste roast',
      'baste roast | 2026-03-04 11:00 | daily @11:00,12:00,13:00,14:00 until 2026-03-04',
    ],
    [
      'check fever every 2 hours from 12 to 18 tomorrow',
      'check fever | 2026-03-03 12:00 | daily @12:00,14:00,16:00,18:00 until 2026-03-03',
    ],
    [
      'starting wednesday every hour from 11 to 13 call shop',
      'call shop | 2026-03-04 11:00 | daily @11:00,12:00,13:00',
    ],
    [
      'every hour from 10am to 12pm on weekends look up',
      'look up | 2026-03-07 10:00 | weekly sa,su @10:00,11:00,12:00',
    ],
  ],
  'days of the week that say how often': [
    ['on weekdays buy lunch', 'buy lunch | 2026-03-02 | weekly mo,tu,we,th,fr'],
    ['8pm weekends call kids', 'call kids | 2026-03-07 20:00 | weekly sa,su'],
    ['weekdays walk dog 6:45am', 'walk dog | 2026-03-03 06:45 | weekly mo,tu,we,th,fr'],
  ],
  'weekdays beside a date': [
    ['order cake the thursday before 24 may', 'order cake | 2026-05-21'],
    ['the sunday after christmas visit aunt', 'visit aunt | 2026-12-27'],
    ['the weekend before 1 may tidy shed', 'tidy shed | 2026-04-25'],
  ],
  'times with a dot before a noun': [
    ['every sunday 9.30 call parents', 'call parents | 2026-03-08 09:30 | weekly su | ?words,half'],
    ['5.4. 17.00 concert with Ida', 'concert with Ida | 2026-04-05 17:00 | ?words'],
    ['tomorrow 3.50 euro coffee', '3.50 euro coffee | 2026-03-03'],
    ['tomorrow 10.5 km run', '10.5 km run | 2026-03-03'],
    ['tomorrow 12.50 refund', 'refund | 2026-03-03 12:50 | ?words'],
  ],
  'so many times': [
    ['spray every day at 21:00 six times', 'spray | 2026-03-02 21:00 | daily x6'],
    ['take drops every evening 14 times', 'take drops | 2026-03-02 19:00 | daily x14'],
    ['do squats 20 times every day at 8am', 'do squats 20 times | 2026-03-03 08:00 | daily'],
  ],
  'short names and numbers of days': [
    ["table at Luigi's for sat 8pm", "table at Luigi's | 2026-03-07 20:00 | ?words"],
    ['pack hat for sun', 'pack hat for sun'],
    ['fix constructor 5', 'fix constructor 5'],
    ['the 28th pay nanny', 'pay nanny | 2026-03-28 | ?words'],
    ['the 2nd floor bulb', 'the 2nd floor bulb'],
    ['settle up first of the month', 'settle up | 2026-04-01 | ?once'],
    ['report due beginning of the month', 'report | 2026-04-01'],
    ['submit timesheet first of april', 'submit timesheet | 2026-04-01'],
  ],
  'rhythms of the household': [
    ['swim once a week on tuesday 7am', 'swim | 2026-03-03 07:00 | weekly tu'],
    ['meds daily, morning and night', 'meds | 2026-03-02 21:00 | daily @09:00,21:00'],
    ['feed cats morning and evening every day', 'feed cats | 2026-03-02 19:00 | daily @09:00,19:00'],
    ['pay staff on the first working day of each month', 'pay staff | 2026-03-02 | monthly mo,tu,we,th,fr p1'],
    ['send hours on the last business day of every month', 'send hours | 2026-03-31 | monthly mo,tu,we,th,fr p-1'],
    ['payroll 2nd working day of each month 9am', 'payroll | 2026-03-03 09:00 | monthly mo,tu,we,th,fr p2'],
    ['invoice clients last weekday of every month', 'invoice clients | 2026-03-31 | monthly mo,tu,we,th,fr p-1'],
    ['check mail every first workday of the month', 'check mail | 2026-03-02 | monthly mo,tu,we,th,fr p1'],
    ['payroll every last business day', 'payroll | 2026-03-31 | monthly mo,tu,we,th,fr p-1'],
    ['close books monthly on the last working day', 'close books | 2026-03-31 | monthly mo,tu,we,th,fr p-1'],
    ['invoice last working day of the month', 'invoice last working day of the month | ?left'],
    ['vacuum every! 5 days', 'vacuum | 2026-03-02 | daily/5 after'],
    ['review every! monday 3pm', 'review | 2026-03-02 15:00 | weekly mo after'],
  ],
  doses: [
    ['syrup every 12 hours for 7 days', 'syrup | 2026-03-02 22:00 | hourly/12 x14'],
    ['drops every hour for 2 weeks', 'drops | 2026-03-02 11:00 | hourly x336'],
    ['test the alarm every minute for a month', 'test the alarm | 2026-03-02 10:01 | minutely until 2026-04-01'],
    ['pill every 8 hours after taking it', 'pill | 2026-03-02 18:00 | hourly/8 after'],
    ['pill every 8 hours once taken', 'pill | 2026-03-02 18:00 | hourly/8 after'],
    ['check sugar 2 hours after taking it', 'check sugar 2 hours after taking it | ?left'],
    [
      'aspirin every 6 hours after taken between 8 and 22',
      'aspirin | 2026-03-02 16:00 | hourly/6 after within 08:00-22:00',
    ],
    [
      'aspirin 6 hours after the last dose, only from 8am to 10pm',
      'aspirin | 2026-03-02 16:00 | hourly/6 after within 08:00-22:00',
    ],
    [
      'aspirin every 6 hours after I take it, between 7 and 9, at most 3 a day',
      'aspirin | 2026-03-02 16:00 | hourly/6 after within 07:00-21:00 most 3',
    ],
    [
      'aspirin 15 hours after the last dose between 8 and 22',
      'aspirin | 2026-03-03 08:00 | hourly/15 after within 08:00-22:00',
    ],
    [
      'aspirin 6 hours after the last one max 4 per day',
      'aspirin | 2026-03-02 16:00 | hourly/6 after within 00:00-23:59 most 4',
    ],
  ],
  'four digits beside a day': [
    ['airport 0545 tomorrow', 'airport | 2026-03-03 05:45 | ?words'],
    ['call Bo friday 1730', 'call Bo | 2026-03-06 17:30 | ?words'],
    ['friday 1730 call Bo', 'call Bo | 2026-03-06 17:30 | ?words'],
    ['airport code 0545', 'airport code 0545'],
    ['meet in room 1205 tomorrow', 'meet in room 1205 | 2026-03-03'],
    ['watch 2010 tomorrow', 'watch 2010 | 2026-03-03'],
    ['file taxes friday 2025', 'file taxes 2025 | 2026-03-06'],
    ['friday 1500 words', '1500 words | 2026-03-06'],
  ],
  'a day that describes a noun, after "for"': [
    ['bake 12 muffins for sunday school', 'bake 12 muffins for sunday school | ?name'],
    ['find slides for monday report', 'find slides for monday report | ?name'],
    ['order cake for saturday party', 'order cake party | 2026-03-07 | ?words'],
    ['find outfit for friday', 'find outfit | 2026-03-06'],
  ],
  'an eve is no other feast': [
    [
      "new year's eve dinner reservation for 6 at 20:00",
      "new year's eve dinner reservation for 6 | 2026-03-02 20:00 | ?left",
    ],
    ['christmas eve dinner with Tom at 19:00', 'dinner with Tom | 2026-12-24 19:00 | ?words'],
    ['buy christmas eve decorations', 'buy christmas eve decorations'],
  ],
  'asleep and awake': [
    ['sleep in on weekends at 10:00', 'sleep in | 2026-03-07 10:00 | weekly sa,su'],
    ['lie in sunday 9:30', 'lie in | 2026-03-08 09:30'],
    ['sleep clinic friday at 9', 'sleep clinic | 2026-03-06 21:00 | ?half'],
    ['go to sleep at 10:30', 'go to sleep | 2026-03-02 22:30'],
  ],
  'German habits': [
    ['dentist Mi 4.3. 9 Uhr', 'dentist | 2026-03-04 09:00 | ?half'],
    ['Kita tomorrow 15 Uhr 30', 'Kita | 2026-03-03 15:30'],
    ['Zahnarzt Freitag 14 Uhr', 'Zahnarzt | 2026-03-06 14:00 | ?spelling'],
  ],
  'before and after': [
    ['check in 24 hours before friday 10am', 'check in | 2026-03-05 10:00'],
    ['45 min before tomorrow 6pm leave', 'leave | 2026-03-03 17:15'],
    ['call school tomorrow after 3', 'call school | 2026-03-03 15:00 | ?half'],
    ['pick up shirts wed after 5', 'pick up shirts | 2026-03-04 17:00 | ?half'],
    ['buy bread before 6 tomorrow', 'buy bread | 2026-03-03 18:00 | ?half'],
    ['pick up parcel after 5pm', 'pick up parcel | 2026-03-02 17:00'],
  ],
  'courses, ranges and weeks ahead': [
    ['antibiotic 8am & 8pm for 7 days', 'antibiotic | 2026-03-02 20:00 | daily @08:00,20:00 until 2026-03-08'],
    ['hotel friday 3pm for 2 nights', 'hotel for 2 nights | 2026-03-06 15:00'],
    ['lunch 12-1 tuesday', 'lunch | 2026-03-03 12:00'],
    ['doctor 10 past 4 tomorrow', 'doctor | 2026-03-03 16:10 | ?half'],
    ['call 5 past 8 houses', 'call 5 past 8 houses'],
    ['choir thursday in two weeks', 'choir | 2026-03-19'],
    ['in 3 weeks on friday see bank', 'see bank | 2026-03-27'],
    ['jab in 2 weeks monday', 'jab | 2026-03-16 | ?week'],
  ],
};
