@rem npm runs scripts with cmd on Windows, which has no exec. See "start" in package.json.
@%*
