# Counts the tests in meson's log: one for each `/suite/test [ OK ]` line of a munit program (the bundled subset's and
# munit's own, which has times behind it and parameters on lines of their own), one for any other program. A program that
# does not get to its end counts as a failure and is named with the test that it was in.
function close_block() {
    if (name == "") return
    if (result ~ /signal/)
        print "FAIL", run ": " name " (" result " after " took (running == "" ? "" : ", in " running) ")"
    else if (inner && result !~ /exit status 0/ && !bad) print "FAIL", run ": " name " (ended early)"
    else if (inner) return
    else if (result ~ /SKIP|exit status 77/) print "SKIP", run ": " name
    else print (result ~ /exit status 0/ ? "OK" : "FAIL"), run ": " name
}
/^=+ [0-9]+\/[0-9]+ =+$/ { close_block(); name = running = heading = ""; inner = 0; bad = 0; result = "" }
/^test: / { name = $0; sub(/^test: +/, "", name) }
/^result: / { result = $0; sub(/^result: +/, "", result) }
/^duration: / { took = $2 }
/^\/[a-z0-9_-]+\/[^ ]+( [a-z]+=[^ ]+)* *$/ { running = $0; sub(/ +$/, "", running); heading = $1 }
/^(\/[^ ]+|  [a-z]+=[^ ]+(, [a-z]+=[^ ]+)*) +\[ (OK|FAIL|SKIP|ERROR) *\]( \[ .* \])?$/ {
    inner = 1
    running = ""
    test = $0
    sub(/ +\[ .*$/, "", test)
    word = substr($0, length(test) + 1)
    sub(/^ +\[ /, "", word)
    sub(/ .*$/, "", word)
    if (word == "FAIL" || word == "ERROR") bad = 1
    print (word == "ERROR" ? "FAIL" : word), run ": " name ": " (test ~ /^ / ? heading substr(test, 2) : test)
}
END { close_block() }
