"""Goes through a list of tasks as Home Assistant does. Arguments: address, user name, password. Prints what it saw."""
import sys
import uuid
from datetime import datetime, timedelta, timezone

import caldav

address, user, password = sys.argv[1:4]
client = caldav.DAVClient(url=address, username=user, password=password)
calendars = client.principal().calendars()
lists = [one for one in calendars if "VTODO" in one.get_supported_components()]
print("lists", len(lists) > 0)
tasks = lists[0]

due = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(hours=2)
uid = str(uuid.uuid4())
lines = [
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x", "BEGIN:VTODO", f"UID:{uid}", "DTSTAMP:20260301T000000Z",
    f"DUE:{due:%Y%m%dT%H%M%SZ}", "SUMMARY:Water\\, the\\; plants", "END:VTODO", "END:VCALENDAR", "",
]
tasks.save_todo("\r\n".join(lines))
found = tasks.todo_by_uid(uid)
print("found by uid", str(found.icalendar_component["SUMMARY"]) == "Water, the; plants")
print("listed", uid in [str(todo.icalendar_component["UID"]) for todo in tasks.todos()])

found.icalendar_component["SUMMARY"] = "Water the roses"
found.save()
print("changed", str(tasks.todo_by_uid(uid).icalendar_component["SUMMARY"]) == "Water the roses")

token = tasks.objects_by_sync_token().sync_token
found = tasks.todo_by_uid(uid)
found.complete()
print("told of the change", len(list(tasks.objects_by_sync_token(sync_token=token))) > 0)
print("not open any more", uid not in [str(todo.icalendar_component["UID"]) for todo in tasks.todos()])
done = [str(todo.icalendar_component["UID"]) for todo in tasks.todos(include_completed=True)]
print("done and still there", uid in done)

tasks.todo_by_uid(uid).delete()
try:
    tasks.todo_by_uid(uid)
    print("deleted", False)
except caldav.lib.error.NotFoundError:
    print("deleted", True)
